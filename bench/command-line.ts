/** What the command line of `npm run bench` asks for. */
import { parseArgs } from 'node:util';

export const USAGE = `npm run bench -- [options]

  --quick             the short form: fewer repetitions and cases, under three minutes
  --only A,B          these measures only
  --contestants A,B   these contestants only
  --json FILE         where to write all samples (bench/results/<date-time>.json)
  --compare FILE      beside each figure that of a saved run, and what is worse by more than the noise
  --from FILE         a saved run in place of measuring
  --docs              write tables and plots into docs/benchmarks.md and docs/benchmarks/
  --help              this text
`;

export interface Request {
  readonly help: boolean;
  readonly quick: boolean;
  /** Ids of measures. */
  readonly only: readonly string[];
  /** Ids of contestants. */
  readonly contestants: readonly string[];
  readonly json: string | undefined;
  readonly compare: string | undefined;
  readonly from: string | undefined;
  readonly docs: boolean;
}

/** The ids that there are. */
export interface Known {
  readonly measures: readonly string[];
  readonly contestants: readonly string[];
}

/** The command line asks for what cannot be done; the message says what to change. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** @throws UsageError */
export function parseCommandLine(args: readonly string[], known: Known): Request {
  const values = parse(args);
  const { quick, json, compare, from, docs, help } = values;
  if (from !== undefined && quick) throw notWithFrom('--quick');
  if (from !== undefined && json !== undefined) throw notWithFrom('--json');
  if (from !== undefined && values.contestants.length > 0) throw notWithFrom('--contestants');
  return {
    help,
    quick,
    json,
    compare,
    from,
    docs,
    only: chosen('only', values.only, known.measures),
    contestants: chosen('contestants', values.contestants, known.contestants),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        quick: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true, default: [] },
        contestants: { type: 'string', multiple: true, default: [] },
        json: { type: 'string' },
        compare: { type: 'string' },
        from: { type: 'string' },
        docs: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    const { message } = error as Error;
    throw new UsageError(`${message}. See npm run bench -- --help`, { cause: error });
  }
}

/** All where none are named; otherwise those, in the order that they have here. */
function chosen(
  option: string,
  values: readonly string[],
  known: readonly string[],
): readonly string[] {
  const asked = values.flatMap((value) => value.split(',')).map((id) => id.trim());
  for (const id of asked) {
    if (known.includes(id)) continue;
    throw new UsageError(
      `--${option}: there is no '${id}'. Choose from: ${known.join(', ')} (several with commas)`,
    );
  }
  return asked.length === 0 ? known : known.filter((id) => asked.includes(id));
}

function notWithFrom(option: string): UsageError {
  return new UsageError(
    `${option} is about measuring, and --from measures nothing: leave out one of them`,
  );
}

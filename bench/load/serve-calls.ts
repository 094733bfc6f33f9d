/** The side of the child process: answers what the measure asks. */
import type { Calls } from './load-process.js';

export interface CallRequest {
  readonly id: number;
  readonly name: string;
  readonly argument: unknown;
}

export interface CallAnswer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

/** Ends the process with its parent. */
export function serveCalls<Api extends Calls<Api>>(api: Api): void {
  process.on('disconnect', () => process.exit());
  process.on('message', (message) => void answer(api, message as CallRequest));
}

/** Never rejects. */
async function answer<Api extends Calls<Api>>(
  api: Api,
  { id, name, argument }: CallRequest,
): Promise<void> {
  try {
    const result = await api[name as keyof Api](argument as never);
    reply({ id, result });
  } catch (error) {
    reply({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

function reply(message: CallAnswer): void {
  process.send?.(message);
}

/** One rule that is switched off in a copy of the library, and what must then fail. */
export interface Control {
  /** The rules of docs/architecture.md that it is about. */
  readonly rules: readonly number[];
  /** What the library does without the rule; unique. */
  readonly off: string;
  readonly edits: readonly Edit[];
  readonly caughtBy: Simulated | Tested;
}

export interface Edit {
  readonly file: string;
  /** Exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

/** By the simulation, within so many runs of one family. */
export interface Simulated {
  readonly family: string;
  readonly holdOff?: 'always' | 'auto';
}

/** By a test that is not a simulation: its file, and the beginning of its name. */
export interface Tested {
  readonly test: string;
  readonly name: string;
}

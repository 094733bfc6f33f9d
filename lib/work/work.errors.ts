/** A mistake in the program: `current()` was called where no leader-only run is going on. */
export class NoLeaderRunError extends Error {
  override readonly name = 'NoLeaderRunError';

  constructor(election: string) {
    super(
      `current() was called outside of leader-only work of election "${election}". Call it in a method with ` +
        '@OnlyLeader() or inside runIfLeader(), before work is handed to something that loses the async context.',
    );
  }
}

/** A mistake in the program: a guarded method was called on an instance that no application set up. It never runs. */
export class UnboundGuardError extends Error {
  override readonly name = 'UnboundGuardError';

  constructor(handler: string) {
    super(
      `${handler} has @OnlyLeader(), but this instance was not made by a Nest application with ` +
        'LeaderElectionModule.forRoot(), so nobody can tell whether it leads. From a factory in request or transient ' +
        'scope it cannot be reached: use useClass there. In a test, get it from ' +
        'Test.createTestingModule() with LeaderElectionModule.forRoot({ store: new InMemoryLeaseStore() }) ' +
        'after init().',
    );
  }
}

/** A mistake in the program: an election was asked for that nobody registered. */
export class UnknownElectionError extends Error {
  override readonly name = 'UnknownElectionError';

  constructor(names: readonly string[], askedBy: readonly string[], known: readonly string[]) {
    const list = names.map((name) => `"${name}"`).join(', ');
    super(
      `No election ${list} is registered, but ${askedBy.join(', ')} asks for it. Import ` +
        `LeaderElectionModule.forFeature('${names[0]}'), or correct the name. Registered: ` +
        `${known.map((name) => `"${name}"`).join(', ')}.`,
    );
  }
}

/** A mistake in the program: one election would be contested twice by one application. */
export class DuplicateElectionError extends Error {
  override readonly name = 'DuplicateElectionError';
}

import type { Redis } from 'ioredis';

export interface Redirection {
  readonly connection: Redis;
  /** The slot is on its way: only what follows ASKING is answered there. */
  readonly asking: boolean;
}

export interface Route {
  /** A connection to the server that has this key. Rejects with the reason why there is none. */
  connectionFor(key: string): Promise<Redis>;
  /** Where to send a command that was answered with this error; null where it says nothing of another server. */
  redirected(error: unknown): Promise<Redirection | null>;
  /** Gives up a connection that was ready; the next request makes a new one. */
  drop(connection: Redis): void;
}

/** There is one server, and one connection to it, which its owner keeps alive. */
export function onlyRoute(connection: Redis): Route {
  return {
    connectionFor: async () => connection,
    redirected: async () => null,
    drop: () => undefined,
  };
}

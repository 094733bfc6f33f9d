import type { Redis } from 'ioredis';
import { HANDSHAKE_TIMEOUT_MS } from './redis-client.js';

/**
 * Notices a server that accepts a connection and then says nothing. One that loads its data answers all the while that
 * it does; it is waited for, however long that takes: ioredis goes on asking it on the next connection as well, so that
 * each new one would add to the questions.
 */
export class HandshakeLimit {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly client: Redis,
    private readonly on: { silent(): void; loading(): void },
  ) {}

  /** From when the connection was accepted; `stop` when it is ready or closed. */
  start(): void {
    this.stop();
    const { stream } = this.client;
    const heardBytes = stream.bytesRead;
    this.timer = setTimeout(() => {
      if (this.client.status === 'connect' && stream.bytesRead > heardBytes) {
        this.start();
        this.on.loading();
      } else {
        this.on.silent();
      }
    }, HANDSHAKE_TIMEOUT_MS);
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}

/** Counts what the clients of a Redis send. Its own statistics also count what scripts call. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

import type { RedisServer } from '../../test/support/redis/redis-server.js';

const INSIDE_SCRIPT = '[0 lua]';

export class SentCommands {
  /** So far, without those of `server.admin`. */
  count = 0;
  /** What it has been sent itself, which Redis counts as output. */
  receivedBytes = 0;
  private rest = '';

  private constructor(
    private readonly socket: Socket,
    private readonly ownAddress: string,
  ) {
    socket.on('data', (data: Buffer) => this.read(data));
  }

  static async watch({ admin, address }: RedisServer): Promise<SentCommands> {
    const client = String(await admin.call('CLIENT', 'INFO'));
    const ownAddress = /\baddr=(\S+)/.exec(client)?.[1];
    if (ownAddress === undefined) throw new Error(`CLIENT INFO names no address: ${client}`);
    const socket = connect(address);
    await once(socket, 'connect');
    const commands = new SentCommands(socket, ownAddress);
    socket.write('MONITOR\r\n');
    await once(socket, 'data');
    return commands;
  }

  close(): void {
    this.socket.destroy();
  }

  /** A line for each command: +1700000000.123456 [0 127.0.0.1:40000] "get" "key" */
  private read(data: Buffer): void {
    this.receivedBytes += data.length;
    const lines = (this.rest + data.toString('latin1')).split('\r\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      const isCommand = line.includes(' [');
      if (!isCommand || line.includes(INSIDE_SCRIPT) || line.includes(this.ownAddress)) continue;
      this.count += 1;
    }
  }
}

/** What a Redis saw of a release, and of the grant after it. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

import type { RedisServer } from '../../test/support/redis/redis-server.js';
import { sharedAheadOfWallMs } from './wall-clock.js';

export interface Release {
  /** When the lease was deleted, by the clock that all processes share. */
  readonly deletedAt: number;
  /** How many commands the next leader sent from then on until it was granted the lease. */
  readonly winnerCommands: number;
}

interface Line {
  readonly wallMs: number;
  /** An address, or 'lua' inside of a script. */
  readonly source: string;
  readonly command: string;
  readonly key: string | undefined;
}

/** For example: +1700000000.123456 [0 127.0.0.1:40000] "set" "key" "value" */
const LINE = /^\+([\d.]+) \[\d+ (\S+)\] "([^"]*)"(?: "([^"]*)")?/gm;

/** By MONITOR, as it has the server's own time of each command. It costs Redis a microsecond or two a line. */
export class ReleaseLog {
  private text = '';

  private constructor(private readonly socket: Socket) {
    socket.on('data', (data: Buffer) => (this.text += data.toString('latin1')));
  }

  static async start({ address }: RedisServer): Promise<ReleaseLog> {
    const socket = connect(address);
    await once(socket, 'connect');
    const log = new ReleaseLog(socket);
    socket.write('MONITOR\r\n');
    await once(socket, 'data');
    return log;
  }

  /** Forgets what was seen so far. */
  clear(): void {
    this.text = '';
  }

  /** The first release of the lease at that key; null where none was seen, or no grant after it. */
  release(key: string): Release | null {
    const lines = this.lines();
    const deleted = lines.findIndex((line) => line.command === 'DEL' && line.key === key);
    const granted = lines.findIndex(
      (line, index) => index > deleted && line.command === 'SET' && line.key === key,
    );
    const deletion = lines[deleted];
    if (deletion === undefined || granted < 0) return null;
    const sent = lines.slice(deleted, granted + 1).filter(({ source }) => source !== 'lua');
    const winner = sent.at(-1)?.source;
    return {
      deletedAt: deletion.wallMs + sharedAheadOfWallMs(),
      winnerCommands: sent.filter(({ source }) => source === winner).length,
    };
  }

  end(): void {
    this.socket.destroy();
  }

  private lines(): readonly Line[] {
    return [...this.text.matchAll(LINE)].map(([, at, source = '', command = '', key]) => {
      return { wallMs: Number(at) * 1000, source, command: command.toUpperCase(), key };
    });
  }
}

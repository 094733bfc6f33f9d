/** Counts what the next leader asks of Redis between the release of a lease and its own grant. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

import type { RedisServer } from '../../test/support/redis/redis-server.js';

interface Line {
  /** An address, or 'lua' inside of a script. */
  readonly source: string;
  readonly command: string;
  readonly key: string | undefined;
}

/** For example: +1700000000.123456 [0 127.0.0.1:40000] "set" "key" "value" */
const LINE = /^\+[\d.]+ \[\d+ (\S+)\] "([^"]*)"(?: "([^"]*)")?/gm;

/** By MONITOR, which slows everything down: not while time is taken. */
export class WinnerCommands {
  private text = '';

  private constructor(private readonly socket: Socket) {
    socket.on('data', (data: Buffer) => (this.text += data.toString('latin1')));
  }

  static async start({ address }: RedisServer): Promise<WinnerCommands> {
    const socket = connect(address);
    await once(socket, 'connect');
    const commands = new WinnerCommands(socket);
    socket.write('MONITOR\r\n');
    await once(socket, 'data');
    return commands;
  }

  /** Null where the lease at that key was not seen released and granted. */
  count(key: string): number | null {
    const lines = this.lines();
    const released = lines.findIndex((line) => line.command === 'DEL' && line.key === key);
    const granted = lines.findIndex(
      (line, index) => index > released && line.command === 'SET' && line.key === key,
    );
    if (released < 0 || granted < 0) return null;
    const sent = lines.slice(released, granted + 1).filter(({ source }) => source !== 'lua');
    const winner = sent.at(-1)?.source;
    return sent.filter(({ source }) => source === winner).length;
  }

  end(): void {
    this.socket.destroy();
  }

  private lines(): readonly Line[] {
    return [...this.text.matchAll(LINE)].map(([, source = '', command = '', key]) => {
      return { source, command: command.toUpperCase(), key };
    });
  }
}

import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { portOf } from './free-port.js';

const OK = '+OK\r\n';

/** What a script call is answered with: raw RESP, or null for silence. */
export type ScriptAnswer = (args: readonly string[]) => string | null;

export interface FakeRedisOptions {
  /** What INFO is answered with: raw RESP. */
  readonly info?: () => string;
}

/** Speaks just enough of the protocol for a client to become ready, and answers scripts as a test says. */
export class FakeRedis {
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly listener: Server,
    private readonly answer: ScriptAnswer,
    private readonly info: () => string,
  ) {
    listener.on('connection', (socket) => this.serve(socket));
  }

  static async start(
    answer: ScriptAnswer,
    { info = () => OK }: FakeRedisOptions = {},
  ): Promise<FakeRedis> {
    const listener = createServer();
    const fake = new FakeRedis(listener, answer, info);
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return fake;
  }

  get url(): string {
    return `redis://127.0.0.1:${portOf(this.listener.address())}`;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.listener.close();
    await once(this.listener, 'close');
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.sockets.delete(socket));
    let text = '';
    socket.on('data', (data) => {
      text += data.toString('latin1');
      for (let parsed = takeCommand(text); parsed !== null; parsed = takeCommand(text)) {
        text = parsed.rest;
        const reply = this.reply(parsed.args);
        if (reply !== null) socket.write(reply);
      }
    });
  }

  private reply(args: readonly string[]): string | null {
    switch (args[0]?.toLowerCase()) {
      case 'evalsha':
      case 'eval':
        return this.answer(args);
      case 'hello':
        return "-ERR unknown command 'HELLO'\r\n";
      case 'info':
        return this.info();
      default:
        return OK;
    }
  }
}

export function bulkString(text: string): string {
  return `$${text.length}\r\n${text}\r\n`;
}

/** As scripts answer a single request. */
export function scriptReply(...items: readonly string[]): string {
  return `*1\r\n${bulkArray(...items)}`;
}

/** An array of bulk strings. */
export function bulkArray(...items: readonly string[]): string {
  return `*${items.length}\r\n${items.map(bulkString).join('')}`;
}

/** The first complete command of a stream, or null when there is none yet. */
function takeCommand(text: string): { args: string[]; rest: string } | null {
  const head = /^\*(\d+)\r\n/.exec(text);
  if (head === null) return null;
  const args: string[] = [];
  let rest = text.slice(head[0].length);
  for (let left = Number(head[1]); left > 0; left -= 1) {
    const size = /^\$(\d+)\r\n/.exec(rest);
    if (size === null) return null;
    const from = size[0].length;
    const to = from + Number(size[1]);
    if (rest.length < to + 2) return null;
    args.push(rest.slice(from, to));
    rest = rest.slice(to + 2);
  }
  return { args, rest };
}

import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { portOf } from './free-port.js';

type Fault = 'none' | 'cut' | 'silent' | 'silent-requests' | 'silent-replies';

interface Connection {
  readonly client: Socket;
  readonly server: Socket;
  /** Bytes were swallowed here, so that nothing more can be made of the stream. */
  broken: boolean;
  dropNextReply: boolean;
}

/** A network between a client and a server, with faults that a test switches on and off. */
export class TcpProxy {
  /** How many connections were accepted so far. */
  accepted = 0;
  private readonly connections = new Set<Connection>();
  private readonly delayed = new Map<NodeJS.Timeout, () => void>();
  private fault: Fault = 'none';
  private delayMs = 0;
  private dropReplyTo: string | null = null;

  private constructor(
    private readonly listener: Server,
    private targetPort: number,
  ) {
    listener.on('connection', (client) => this.accept(client));
  }

  static async start(targetPort: number): Promise<TcpProxy> {
    const listener = createServer();
    const proxy = new TcpProxy(listener, targetPort);
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return proxy;
  }

  get port(): number {
    return portOf(this.listener.address());
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** How many connections the client holds open. */
  get open(): number {
    return this.connections.size;
  }

  /** Destroys every connection, and refuses new ones. */
  cut(): void {
    this.fault = 'cut';
    this.destroyAll();
  }

  /** New connections go to another server; those that are open stay where they are. */
  leadTo(targetPort: number): void {
    this.targetPort = targetPort;
  }

  /** Accepts connections, and forwards nothing in either direction. */
  silence(): void {
    this.fault = 'silent';
  }

  /** Requests reach the server, and its replies are lost. */
  silenceReplies(): void {
    this.fault = 'silent-replies';
  }

  /** Requests are lost, and what the server sends by itself arrives. */
  silenceRequests(): void {
    this.fault = 'silent-requests';
  }

  delayReplies(delayMs: number): void {
    this.delayMs = delayMs;
  }

  /** Loses what the server answers next on the connection that sends a request with this text. */
  dropNextReply(matching = ''): void {
    this.dropReplyTo = matching;
  }

  /** Ends every fault. Connections that lost bytes meanwhile are destroyed, as their streams make no sense. */
  heal(): void {
    this.fault = 'none';
    this.delayMs = 0;
    this.dropReplyTo = null;
    // In order, before anything new.
    for (const [timer, send] of this.delayed) {
      clearTimeout(timer);
      send();
    }
    this.delayed.clear();
    for (const connection of this.connections) if (connection.broken) destroy(connection);
  }

  async close(): Promise<void> {
    for (const timer of this.delayed.keys()) clearTimeout(timer);
    this.destroyAll();
    this.listener.close();
    await once(this.listener, 'close');
  }

  private accept(client: Socket): void {
    if (this.fault === 'cut') {
      client.destroy();
      return;
    }
    this.accepted += 1;
    const server = connect(this.targetPort, '127.0.0.1');
    const connection: Connection = { client, server, broken: false, dropNextReply: false };
    this.connections.add(connection);
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      // An error is followed by 'close', which is all that a network knows of it.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.connections.delete(connection);
        destroy(connection);
      });
    }
    client.on('data', (data) => this.forwardRequest(connection, data));
    server.on('data', (data) => this.forwardReply(connection, data));
  }

  private forwardRequest(connection: Connection, data: Buffer): void {
    if (this.fault === 'silent' || this.fault === 'silent-requests') {
      connection.broken = true;
      return;
    }
    if (this.dropReplyTo !== null && data.includes(this.dropReplyTo)) {
      this.dropReplyTo = null;
      connection.dropNextReply = true;
    }
    connection.server.write(data);
  }

  private forwardReply(connection: Connection, data: Buffer): void {
    if (this.fault === 'silent' || this.fault === 'silent-replies') {
      connection.broken = true;
    } else if (connection.dropNextReply) {
      connection.dropNextReply = false;
    } else if (this.delayMs > 0) {
      this.later(() => connection.client.write(data));
    } else {
      connection.client.write(data);
    }
  }

  private later(send: () => void): void {
    const timer = setTimeout(() => {
      this.delayed.delete(timer);
      send();
    }, this.delayMs);
    this.delayed.set(timer, send);
  }

  private destroyAll(): void {
    for (const connection of this.connections) destroy(connection);
  }
}

function destroy({ client, server }: Connection): void {
  client.destroy();
  server.destroy();
}

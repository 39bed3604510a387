// The load on a route: connections that each send a request again when its response is whole. In a
// process of its own, so that it takes none of the server's time.

import { connect, type Socket } from "node:net";
import { performance } from "node:perf_hooks";

import { ResponseReader, type WholeResponse } from "./response-reader.js";

const PATIENCE_MS = 10_000;
const MAX_SHOWN = 600;

export interface LoadOptions {
  readonly port: number;
  readonly method: string;
  readonly request: Buffer;
  readonly connections: number;
}

export interface Loaded {
  readonly requests: number;
  readonly ms: number;
  /** The share of the time in which this process did not wait for the server. */
  readonly busy: number;
}

interface Connection {
  readonly socket: Socket;
  readonly reader: ResponseReader;
  sentAt: number;
}

export class Load {
  readonly #request: Buffer;
  readonly #connections: readonly Connection[];
  #latencies: number[] = [];
  /** Of the first response: all others must have it. */
  #status: number | undefined;
  #endsAt = 0;
  #inFlight = 0;
  #settle: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;
  #failure: Error | undefined;

  private constructor(request: Buffer, connections: readonly Connection[]) {
    this.#request = request;
    this.#connections = connections;
    for (const connection of connections) {
      const { socket } = connection;
      socket.on("data", (piece) => this.#take(connection, piece));
      socket.on("error", (error) => this.#fail(error));
      socket.on("close", () => this.#fail(new Error("The server closed a connection")));
    }
  }

  /** Connects, and sends one request. Rejects for a response of 400 or above. */
  static async open({ port, method, request, connections: count }: LoadOptions): Promise<Load> {
    const open = async (): Promise<Connection> => ({
      socket: await connected(port),
      reader: new ResponseReader(method),
      sentAt: 0,
    });
    const load = new Load(request, await Promise.all(Array.from({ length: count }, open)));
    await load.#send(load.#connections.slice(0, 1), 0);
    return load;
  }

  /** Sends for a while. Rejects for a response of another status than the first. */
  async run(ms: number): Promise<Loaded> {
    const before = this.#latencies.length;
    const loop = performance.eventLoopUtilization();
    const began = performance.now();
    await this.#send(this.#connections, ms);
    return {
      requests: this.#latencies.length - before,
      ms: performance.now() - began,
      busy: performance.eventLoopUtilization(loop).utilization,
    };
  }

  /** The latencies so far, in microseconds, which it forgets. */
  latencies(): { readonly p50: number; readonly p99: number } {
    const sorted = this.#latencies.sort((a, b) => a - b);
    this.#latencies = [];
    const at = (share: number): number =>
      1000 * (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN);
    return { p50: at(0.5), p99: at(0.99) };
  }

  /** Ends the connections. */
  close(): void {
    for (const { socket } of this.#connections) socket.destroy();
  }

  #send(connections: readonly Connection[], ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(
        () => this.#fail(new Error(`no whole response came within ${PATIENCE_MS / 1000} s`)),
        PATIENCE_MS + ms,
      );
      const settled = (then: () => void) => () => {
        clearTimeout(late);
        this.#settle = undefined;
        then();
      };
      this.#settle = { resolve: settled(resolve), reject: (error) => settled(() => reject(error))() };
      if (this.#failure !== undefined) this.#settle.reject(this.#failure);
      this.#endsAt = performance.now() + ms;
      this.#inFlight = connections.length;
      for (const connection of connections) this.#ask(connection);
    });
  }

  #ask(connection: Connection): void {
    connection.sentAt = performance.now();
    connection.socket.write(this.#request);
  }

  #take(connection: Connection, piece: Buffer): void {
    try {
      const response = connection.reader.take(piece);
      if (response === undefined) return;
      this.#requireStatus(response);
    } catch (error) {
      this.#fail(error as Error);
      return;
    }
    const now = performance.now();
    this.#latencies.push(now - connection.sentAt);
    if (now < this.#endsAt) {
      this.#ask(connection);
      return;
    }
    this.#inFlight -= 1;
    if (this.#inFlight === 0) this.#settle?.resolve();
  }

  #requireStatus({ status, body }: WholeResponse): void {
    if (status === this.#status) return;
    const which =
      this.#status === undefined ? "" : ` after ${this.#latencies.length} responses of ${this.#status}`;
    if (status >= 400 || this.#status !== undefined)
      throw new Error(`it responds with ${status}${which}: ${body.toString().slice(0, MAX_SHOWN)}`);
    this.#status = status;
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#settle?.reject(this.#failure);
    this.close();
  }
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true }, () => {
      socket.off("error", reject);
      resolve(socket);
    });
    socket.once("error", reject);
  });
}

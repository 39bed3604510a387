// A WebSocket client that sends what it is told, legal or not, and takes the server at
// its word: what it must not send is a violation, and fails the test that looks.

import { createHash, randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";

import {
  BINARY,
  CLOSE,
  closePayload,
  type FrameOptions,
  FrameReader,
  frame,
  PING,
  PONG,
  type Read,
  type ReadMessage,
  TEXT,
} from "./websocket-frames.js";

export interface HandshakeOptions {
  /** Default "/". */
  readonly path?: string;
  /** Header lines beside those of every handshake; a name that these have replaces theirs, without a value it removes it. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** The whole request, in place of all that. */
  readonly request?: string;
  /** An open one, of TLS for instance, in place of one to the address. */
  readonly socket?: Socket;
}

export interface HandshakeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Of a refusal, as far as it has come. */
  readonly body: () => string;
}

/** How the connection ended, as it is seen here. */
export interface Ending {
  /** The server's close frame; none where it ended the connection without one. */
  readonly close: { readonly code: number | undefined; readonly reason: string } | undefined;
  /** Whether the end was one (FIN) or a reset. */
  readonly how: "closed" | "reset";
}

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const PATIENCE_MS = 30_000;

export class WebSocketClient {
  /** Messages, pings and pongs that came and were not taken by `next`. */
  readonly reads: Exclude<Read, { kind: "close" | "violation" }>[] = [];
  readonly violations: string[] = [];
  answer: HandshakeAnswer | undefined;
  close: Ending["close"];
  end: Ending["how"] | undefined;
  bytesRead = 0;
  /** Whether pings are answered, as every client must. Off: the server is told nothing. */
  answersPings = true;
  readonly socket: Socket;
  readonly #key = randomBytes(16).toString("base64");
  #reader: FrameReader | undefined;
  #head = Buffer.alloc(0);
  #wake: () => void = () => {};

  /** Resolves when the handshake is answered, whatever the answer; rejects where the connection ends before. */
  static async open(address: string, options: HandshakeOptions = {}): Promise<WebSocketClient> {
    const client = new WebSocketClient(address, options);
    await client.#until("an answer to the handshake", () => client.answer !== undefined || client.isOver);
    if (client.answer === undefined)
      throw new Error("The connection ended before the handshake was answered");
    return client;
  }

  private constructor(address: string, options: HandshakeOptions) {
    const [host = "", port] = address.split(/:(?=\d+$)/);
    this.socket = options.socket ?? connect({ host, port: Number(port), allowHalfOpen: true });
    this.socket.setNoDelay();
    this.socket.on("data", (bytes: Buffer) => this.#read(bytes));
    this.socket.on("end", () => this.#ended("closed"));
    this.socket.on("error", () => this.#ended("reset"));
    this.socket.on("close", () => this.#ended("closed"));
    this.socket.write(options.request ?? handshake(address, this.#key, options), "latin1");
  }

  get isOver(): boolean {
    return this.end !== undefined;
  }

  /** Writes bytes as they are, all at once or in pieces of a length, each in a turn of its own. */
  async write(
    bytes: Uint8Array | readonly Uint8Array[],
    pieceBytes = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    const all = bytes instanceof Uint8Array ? bytes : Buffer.concat(bytes);
    for (let at = 0; at < all.length && this.socket.writable; at += pieceBytes) {
      this.socket.write(all.subarray(at, at + pieceBytes));
      if (pieceBytes < all.length) await new Promise(setImmediate);
    }
  }

  send(opcode: number, payload?: string | Uint8Array, options?: FrameOptions): void {
    if (this.socket.writable) this.socket.write(frame(opcode, payload, options));
  }

  text(message: string): void {
    this.send(TEXT, message);
  }

  binary(message: Uint8Array): void {
    this.send(BINARY, message);
  }

  ping(payload?: string | Uint8Array): void {
    this.send(PING, payload);
  }

  closeWith(code?: number, reason?: string): void {
    this.send(CLOSE, code === undefined ? "" : closePayload(code, reason));
  }

  /** Waits until so many messages, pings and pongs have come, or the connection is over. */
  async arrived(count: number): Promise<void> {
    await this.#until(`${count} messages`, () => this.reads.length >= count || this.isOver);
  }

  /** What comes next; undefined where the connection ends before. */
  async next(): Promise<WebSocketClient["reads"][number] | undefined> {
    await this.#until("something to read", () => this.reads.length > 0 || this.isOver);
    return this.reads.shift();
  }

  /** The next message; pings and pongs before it are passed over. */
  async nextMessage(): Promise<ReadMessage | undefined> {
    for (;;) {
      const read = await this.next();
      if (read === undefined || read.kind === "message") return read?.message;
    }
  }

  async nextText(): Promise<string | undefined> {
    return (await this.nextMessage())?.payload.toString();
  }

  /** Waits until the server has ended the connection. */
  async ended(): Promise<Ending> {
    await this.#until("the end of the connection", () => this.isOver);
    return { close: this.close, how: this.end as Ending["how"] };
  }

  /** Waits until the server has sent its close frame, or ended the connection. */
  async closed(): Promise<Ending["close"]> {
    await this.#until("a close frame", () => this.close !== undefined || this.isOver);
    return this.close;
  }

  destroy(): void {
    this.socket.destroy();
  }

  #read(bytes: Buffer): void {
    this.bytesRead += bytes.length;
    if (this.#reader !== undefined) this.#reader.push(bytes);
    else this.#readHead(bytes);
    this.#wake();
  }

  #readHead(bytes: Buffer): void {
    this.#head = Buffer.concat([this.#head, bytes]);
    const end = this.#head.indexOf("\r\n\r\n");
    if (end < 0 || this.answer !== undefined) return;
    const [statusLine = "", ...lines] = this.#head.toString("latin1", 0, end).split("\r\n");
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const status = Number(statusLine.split(" ")[1]);
    this.answer = { status, headers, body: () => this.#head.toString("utf8", end + 4) };
    if (status !== 101) return;
    if (headers["sec-websocket-accept"] !== acceptOf(this.#key)) this.violations.push("a wrong accept key");
    const compresses = /permessage-deflate/.test(headers["sec-websocket-extensions"] ?? "");
    this.#reader = new FrameReader(compresses, (read) => this.#tell(read));
    this.#reader.push(this.#head.subarray(end + 4));
  }

  #tell(read: Read): void {
    if (read.kind === "violation") this.violations.push(read.what);
    else if (read.kind === "close") this.close = { code: read.code, reason: read.reason };
    else {
      if (read.kind === "ping" && this.answersPings) this.send(PONG, read.payload);
      this.reads.push(read);
    }
  }

  #ended(how: Ending["how"]): void {
    this.end ??= how;
    if (this.#reader?.isBetweenFrames === false) this.violations.push("an end within a frame");
    // The server has ended its side; nothing is left to be told to it.
    this.socket.destroy();
    this.#wake();
  }

  async #until(what: string, isSo: () => boolean): Promise<void> {
    const endsAt = performance.now() + PATIENCE_MS;
    while (!isSo()) {
      const leftMs = endsAt - performance.now();
      if (leftMs <= 0) throw new Error(`There never was ${what}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}

/** What the server must answer to a key (section 4.2.2). */
const acceptOf = (key: string): string =>
  createHash("sha1")
    .update(key + GUID)
    .digest("base64");

function handshake(address: string, key: string, { path = "/", headers = {} }: HandshakeOptions): string {
  const usual: Readonly<Record<string, string>> = {
    Host: address,
    Upgrade: "websocket",
    Connection: "Upgrade",
    "Sec-WebSocket-Key": key,
    "Sec-WebSocket-Version": "13",
  };
  const given = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const lines = [
    ...Object.entries(usual).filter(([name]) => !given.has(name.toLowerCase())),
    ...Object.entries(headers).filter(([, value]) => value !== undefined),
  ];
  return `GET ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
}

// Handshakes of WebSocket byte by byte, and the few frames that tests of connections need.

import type { Socket } from "node:net";

import { dial } from "./wire.js";

const KEY = "dGhlIHNhbXBsZSBub25jZQ==";
/** What a server answers that key with (RFC 6455, section 1.3). */
export const ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

/** By name; undefined takes a line away, a list has a line for each. */
export type HandshakeLines = Readonly<Record<string, string | readonly string[] | undefined>>;

const USUAL: HandshakeLines = {
  Host: "127.0.0.1",
  Upgrade: "websocket",
  Connection: "Upgrade",
  "Sec-WebSocket-Key": KEY,
  "Sec-WebSocket-Version": "13",
};

/** A request that asks for an upgrade, with other lines than the usual ones. */
export function handshake(target: string, lines: HandshakeLines = {}, method = "GET"): string {
  const fields = Object.entries({ ...USUAL, ...lines }).flatMap(([name, values = []]) =>
    [values].flat().map((value) => `${name}: ${value}\r\n`),
  );
  return `${method} ${target} HTTP/1.1\r\n${fields.join("")}\r\n`;
}

/** A client's frame, masked with zeros: at most 65 535 bytes. */
function clientFrame(opcode: number, payload: string | Uint8Array, fin = true): Buffer {
  const bytes = Buffer.from(payload as string);
  const first = (fin ? 0x80 : 0) | opcode;
  const head =
    bytes.length < 126
      ? Buffer.from([first, 0x80 | bytes.length])
      : Buffer.from([first, 0x80 | 126, bytes.length >> 8, bytes.length & 255]);
  return Buffer.concat([head, Buffer.alloc(4), bytes]);
}

export interface ServerFrame {
  readonly opcode: number;
  readonly payload: Buffer;
}

/** A connection that reads what the server sends. */
export class RawWebSocket {
  readonly socket: Socket;
  /** The head of the answer, in Latin-1. */
  head = "";
  /** Whether the server has ended the connection, or reset it. */
  isOver = false;
  readonly #frames: ServerFrame[] = [];
  #rest: Buffer = Buffer.alloc(0);
  #wake: () => void = () => {};

  constructor(address: string, request: string) {
    this.socket = dial(address);
    this.socket.on("data", (piece) => this.#take(piece));
    const over = (): void => {
      this.isOver = true;
      this.#wake();
    };
    this.socket.on("end", over).on("error", over).on("close", over);
    this.socket.write(request);
  }

  /** Waits for the head of the answer. */
  async answered(): Promise<string> {
    while (this.head === "") await this.#more("its answer");
    return this.head;
  }

  /** Waits for the next frame. */
  async frame(): Promise<ServerFrame> {
    await this.answered();
    while (this.#frames.length === 0) await this.#more("a frame");
    return this.#frames.shift() as ServerFrame;
  }

  /** The next frame's text. */
  async text(): Promise<string> {
    return (await this.frame()).payload.toString();
  }

  /** Waits for a close frame: its code and reason. */
  async closed(): Promise<readonly [number, string]> {
    const { opcode, payload } = await this.frame();
    if (opcode !== 8) throw new Error(`A frame with opcode ${opcode} came before the end`);
    return [payload.length < 2 ? 1005 : payload.readUInt16BE(), payload.toString("utf8", 2)];
  }

  /** Waits until the server has ended the connection. */
  async over(): Promise<void> {
    while (!this.isOver) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  send(opcode: number, payload: string | Uint8Array, fin = true): void {
    this.socket.write(clientFrame(opcode, payload, fin));
  }

  end(): void {
    this.socket.destroy();
  }

  async #more(what: string): Promise<void> {
    if (this.isOver) throw new Error(`The connection ended before ${what}; it had answered\n${this.head}`);
    await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  #take(piece: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, piece]);
    if (this.head === "") {
      const end = this.#rest.indexOf("\r\n\r\n");
      if (end < 0) return;
      this.head = this.#rest.toString("latin1", 0, end);
      this.#rest = this.#rest.subarray(end + 4);
    }
    if (this.head.startsWith("HTTP/1.1 101 ")) this.#readFrames();
    this.#wake();
  }

  #readFrames(): void {
    for (;;) {
      if (this.#rest.length < 2) return;
      const short = (this.#rest[1] as number) & 127;
      const start = short === 126 ? 4 : short === 127 ? 10 : 2;
      if (this.#rest.length < start) return;
      const length =
        short === 126
          ? this.#rest.readUInt16BE(2)
          : short === 127
            ? Number(this.#rest.readBigUInt64BE(2))
            : short;
      if (this.#rest.length < start + length) return;
      const payload = Buffer.from(this.#rest.subarray(start, start + length));
      this.#frames.push({ opcode: (this.#rest[0] as number) & 15, payload });
      this.#rest = this.#rest.subarray(start + length);
    }
  }
}

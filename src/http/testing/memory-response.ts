import type { NativeResponse, NativeText } from "../native/port.js";
import { asBytes, asText } from "./memory-request.js";

const LOOPBACK = Uint8Array.of(127, 0, 0, 1);

/**
 * A response in memory, as strict as the engine: writing after the end throws, and
 * so does leaving the handler with neither an answer nor an abort handler, which
 * there ends the process.
 */
export class MemoryResponse implements NativeResponse {
  /** Status, then header lines. */
  readonly head: string[] = [];
  body: Uint8Array = new Uint8Array(0);
  readonly #ended: () => void;
  readonly #peer: Uint8Array;
  #isEnded = false;
  /** Fulfilled when the server reads on; undefined while it reads. */
  #pause: { readonly over: Promise<void>; readonly end: () => void } | undefined;
  #onAborted: (() => void) | undefined;
  #onData: ((chunk: ArrayBuffer, isLast: boolean) => void) | undefined;

  /** `ended` is called once: with the last write, or when the server closes the connection. */
  constructor(ended: () => void, peer: Uint8Array = LOOPBACK) {
    this.#ended = ended;
    this.#peer = peer;
  }

  getRemoteAddress(): ArrayBuffer {
    return new Uint8Array(this.#peer).buffer;
  }

  getProxiedRemoteAddress(): ArrayBuffer {
    return new ArrayBuffer(0);
  }

  writeStatus(status: NativeText): this {
    this.#requireOpen();
    this.head.push(...asText(status).split("\r\n"));
    return this;
  }

  writeHeader(name: NativeText, value: NativeText): this {
    this.#requireOpen();
    this.head.push(...`${asText(name)}: ${asText(value)}`.split("\r\n"));
    return this;
  }

  end(body: NativeText = "", closeConnection = false): this {
    this.#requireOpen();
    this.body = new Uint8Array(asBytes(body));
    if (closeConnection) this.head.push("connection: close");
    this.head.push(`content-length: ${this.body.length}`);
    return this.#end();
  }

  endWithoutBody(contentLength?: number, closeConnection = false): this {
    this.#requireOpen();
    if (closeConnection) this.head.push("connection: close");
    if (contentLength !== undefined) this.head.push(`content-length: ${contentLength}`);
    return this.#end();
  }

  tryEnd(body: Uint8Array): [boolean, boolean] {
    this.end(body);
    return [true, true];
  }

  getWriteOffset(): number {
    return 0;
  }

  onWritable(): this {
    return this;
  }

  pause(): this {
    this.#requireOpen();
    if (this.#pause !== undefined) return this;
    let end = (): void => {};
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#pause = { over, end };
    return this;
  }

  resume(): this {
    this.#requireOpen();
    this.#endPause();
    return this;
  }

  /** Waits while the server reads no more. */
  get reading(): Promise<void> | undefined {
    return this.#pause?.over;
  }

  onAborted(handler: () => void): this {
    this.#onAborted = handler;
    return this;
  }

  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): this {
    this.#onData = handler;
    return this;
  }

  cork(write: () => void): this {
    this.#requireOpen();
    write();
    return this;
  }

  close(): this {
    this.abort();
    return this;
  }

  /** The client goes away. */
  abort(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#endPause();
    this.#onAborted?.();
    this.#ended();
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** The handler has returned. Throws where the engine would end the process. */
  requireGuarded(): void {
    if (!this.#isEnded && this.#onAborted === undefined) {
      throw new Error("The handler returned with neither an answer nor an abort handler");
    }
  }

  /** A piece of the body has arrived. */
  deliver(piece: Uint8Array, last: boolean): void {
    const chunk = new Uint8Array(piece).buffer;
    this.#onData?.(chunk, last);
    // Detached, as by the engine: who kept it without a copy has nothing.
    structuredClone(chunk, { transfer: [chunk] });
  }

  #endPause(): void {
    this.#pause?.end();
    this.#pause = undefined;
  }

  #requireOpen(): void {
    if (this.#isEnded) throw new Error("A response was written to after its end");
  }

  #end(): this {
    this.#isEnded = true;
    this.#endPause();
    this.#ended();
    return this;
  }
}

import type { NativeResponse, NativeText } from "../native/port.js";
import { asBytes, asText } from "./memory-request.js";

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
  #isEnded = false;
  #onAborted: (() => void) | undefined;
  #onData: ((chunk: ArrayBuffer, isLast: boolean) => void) | undefined;

  /** `ended` is called once: with the last write, or when the server closes the connection. */
  constructor(ended: () => void) {
    this.#ended = ended;
  }

  writeStatus(status: NativeText): this {
    this.#requireOpen();
    this.head.push(...asText(status).split("\r\n"));
    return this;
  }

  writeHeader(name: NativeText, value: NativeText): this {
    this.#requireOpen();
    this.head.push(`${asText(name)}: ${asText(value)}`);
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
    return this;
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
    this.#onAborted?.();
    this.#ended();
  }

  /** The handler has returned: what arrived of the body is handed over. */
  deliver(body: Uint8Array): void {
    if (!this.#isEnded && this.#onAborted === undefined) {
      throw new Error("The handler returned with neither an answer nor an abort handler");
    }
    this.#onData?.(new Uint8Array(body).buffer, true);
  }

  #requireOpen(): void {
    if (this.#isEnded) throw new Error("A response was written to after its end");
  }

  #end(): this {
    this.#isEnded = true;
    this.#ended();
    return this;
  }
}

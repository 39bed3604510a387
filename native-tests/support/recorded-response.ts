import { asText } from "#http/exchange/memory/memory-request.js";
import type { NativeResponse, NativeText } from "#http/native/port.js";

/** A native response that writes down what is called, takes a body in pieces, and can be aborted. */
export class RecordedResponse implements NativeResponse {
  readonly calls: string[] = [];
  /** How many bytes of a body are taken at a time. */
  window = Number.POSITIVE_INFINITY;
  taken = 0;
  isCorked = false;
  #onAborted: () => void = () => {};
  #onData: (chunk: ArrayBuffer, last: boolean) => void = () => {};
  #onWritable: (offset: number) => boolean = () => true;

  getRemoteAddress(): ArrayBuffer {
    return Uint8Array.of(127, 0, 0, 1).buffer;
  }

  getProxiedRemoteAddress(): ArrayBuffer {
    return new ArrayBuffer(0);
  }

  writeStatus(status: NativeText): this {
    return this.#call(`status ${asText(status).replaceAll("\r\n", " | ")}`);
  }

  writeHeader(name: NativeText, value: NativeText): this {
    return this.#call(`header ${asText(name)}: ${asText(value)}`);
  }

  end(body: NativeText = "", closes = false): this {
    return this.#call(`end ${asText(body)}${closes ? " closing" : ""}`);
  }

  endWithoutBody(length?: number, closes = false): this {
    return this.#call(`end without body ${length ?? ""}${closes ? " closing" : ""}`.trim());
  }

  tryEnd(body: Uint8Array, total: number): [boolean, boolean] {
    const took = Math.min(body.length, this.window);
    this.taken += took;
    this.#call(`try ${took} of ${total}`);
    return [took === body.length, this.taken === total];
  }

  write(chunk: NativeText): boolean {
    const text = asText(chunk);
    this.taken += text.length;
    this.#call(`write ${text.length > 100 ? text.length : text}`);
    return text.length <= this.window;
  }

  upgrade(_data: unknown, key: string, protocol: string, extensions: string): void {
    this.#call(`upgrade ${key} ${protocol} ${extensions}`.trimEnd());
  }

  getWriteOffset(): number {
    return this.taken;
  }

  onWritable(handler: (offset: number) => boolean): this {
    this.#onWritable = handler;
    return this;
  }

  pause(): this {
    return this.#call("pause");
  }

  resume(): this {
    return this.#call("resume");
  }

  onAborted(handler: () => void): this {
    this.#onAborted = handler;
    return this.#call("listens");
  }

  onData(handler: (chunk: ArrayBuffer, last: boolean) => void): this {
    this.#onData = handler;
    return this;
  }

  cork(write: () => void): this {
    this.isCorked = true;
    write();
    this.isCorked = false;
    return this;
  }

  close(): this {
    return this.#call("close");
  }

  abort(): void {
    this.#onAborted();
  }

  data(text: string, last: boolean): void {
    this.#onData(new Uint8Array(Buffer.from(text)).buffer, last);
  }

  /** The client has read what was written. */
  drain(): void {
    this.#onWritable(this.taken);
  }

  #call(what: string): this {
    this.calls.push(what);
    return this;
  }
}

import type { NativeResponse, NativeSocketData, NativeText, NativeUpgrade } from "../native/port.js";
import type { PieceTaker } from "./answer-reader.js";
import { asBytes, asText } from "./memory-request.js";
import type { MemoryUpgrade } from "./memory-web-socket.js";

const LOOPBACK = Uint8Array.of(127, 0, 0, 1);

/**
 * A response in memory, as strict as the engine: writing after the end throws, and
 * so does leaving the handler with neither an answer nor an abort handler, which
 * there ends the process.
 */
export class MemoryResponse implements NativeResponse {
  /** Status, then header lines. */
  readonly head: string[] = [];
  readonly #pieces: Uint8Array[] = [];
  #length = 0;
  /** Who is told of each piece of it. */
  readonly #reader: PieceTaker | undefined;
  /** Whether the answer came to its end. */
  isWhole = false;
  readonly #ended: () => void;
  readonly #peer: Uint8Array;
  #isEnded = false;
  /** Fulfilled when the server reads on; undefined while it reads. */
  #pause: { readonly over: Promise<void>; readonly end: () => void } | undefined;
  #onAborted: (() => void) | undefined;
  #onData: ((chunk: ArrayBuffer, isLast: boolean) => void) | undefined;

  /** `ended` is called once: with the last write, or when the server closes the connection. */
  constructor(ended: () => void, peer: Uint8Array = LOOPBACK, reader?: PieceTaker) {
    this.#ended = ended;
    this.#peer = peer;
    this.#reader = reader;
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

  /** What was written of it. */
  get body(): Uint8Array {
    return Buffer.concat(this.#pieces);
  }

  /** How many bytes of it were written. */
  get length(): number {
    return this.#length;
  }

  end(body: NativeText = "", closeConnection = false): this {
    this.#requireOpen();
    this.#take(asBytes(body));
    if (this.#isChunked) return this.#end();
    if (closeConnection) this.head.push("connection: close");
    this.head.push(`content-length: ${this.#length}`);
    return this.#end();
  }

  get #isChunked(): boolean {
    return this.head.includes("transfer-encoding: chunked");
  }

  write(chunk: NativeText): boolean {
    this.#requireOpen();
    if (this.#length === 0) this.head.push("transfer-encoding: chunked");
    this.#take(asBytes(chunk));
    return this.#reader?.room !== 0;
  }

  endWithoutBody(contentLength?: number, closeConnection = false): this {
    this.#requireOpen();
    if (closeConnection) this.head.push("connection: close");
    if (contentLength !== undefined) this.head.push(`content-length: ${contentLength}`);
    this.#take(new Uint8Array());
    return this.#end();
  }

  tryEnd(body: Uint8Array, totalSize: number): [boolean, boolean] {
    this.#requireOpen();
    if (this.#length === 0) this.head.push(`content-length: ${totalSize}`);
    const taken = Math.min(body.length, this.#reader?.room ?? body.length);
    this.#take(body.subarray(0, taken));
    const isDone = this.#length === totalSize;
    if (isDone) this.#end();
    return [taken === body.length, isDone];
  }

  getWriteOffset(): number {
    return this.#length;
  }

  onWritable(handler: (offset: number) => boolean): this {
    if (this.#reader !== undefined)
      this.#reader.onRoom = () => {
        if (!this.#isEnded) handler(this.#length);
      };
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

  upgrade(
    data: NativeSocketData,
    _key: string,
    protocol: string,
    _extensions: string,
    context: NativeUpgrade,
  ): void {
    this.#requireOpen();
    this.head.push("upgrade: websocket", "connection: Upgrade");
    if (protocol !== "") this.head.push(`sec-websocket-protocol: ${protocol}`);
    this.#end();
    (context as MemoryUpgrade).accept(data, protocol);
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

  #take(bytes: Uint8Array): void {
    const piece = new Uint8Array(bytes);
    this.#length += bytes.length;
    // Whoever bounds what waits for it keeps it.
    if (this.#reader?.room === undefined) this.#pieces.push(piece);
    this.#reader?.take(piece, this.head);
  }

  #end(): this {
    this.isWhole = true;
    this.#isEnded = true;
    this.#endPause();
    this.#ended();
    return this;
  }
}

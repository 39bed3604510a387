import type { NativeResponse, NativeSocketData, NativeText, NativeUpgrade } from "../../native/port.js";
import { asBytes, asText } from "./memory-request.js";

const LOOPBACK = Uint8Array.of(127, 0, 0, 1);

export interface PieceTaker {
  take(piece: Uint8Array, head: readonly string[]): void;
  /** Bytes that may be written now; undefined for any. */
  readonly room?: number;
  /** Called in a separate turn when room is available again. */
  onRoom?: () => void;
  /** Disconnects the client. */
  leave: () => void;
}

/** The context of an upgrade. */
export interface MemoryUpgrade {
  readonly accept: (data: NativeSocketData, protocol: string) => void;
}

/** As strict as the engine: throws on a write after the end, and if the handler leaves neither a response nor an abort handler. */
export class MemoryResponse implements NativeResponse {
  /** Status, then header lines. */
  readonly head: string[] = [];
  readonly #pieces: Uint8Array[] = [];
  /** Length of the body in bytes. */
  length = 0;
  readonly #reader: PieceTaker | undefined;
  /** True if the response is complete. */
  isWhole = false;
  readonly #ended: () => void;
  readonly #peer: Uint8Array;
  isEnded = false;
  /** The length that the first `tryEnd` has written. */
  #announced: number | undefined;
  /** Set while the server has paused reading. */
  #pause: { readonly over: Promise<void>; readonly end: () => void } | undefined;
  #onAborted: (() => void) | undefined;
  #onData: ((chunk: ArrayBuffer, isLast: boolean) => void) | undefined;

  /** Calls `ended` once: at the last write, or when the server closes the connection. */
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
    const lines = `${asText(name)}: ${asText(value)}`.split("\r\n");
    // An empty line ends the head.
    const isEnd = lines.at(-1) === "";
    this.head.push(...(isEnd ? lines.slice(0, -1) : lines));
    if (isEnd) this.#beWhole();
    return this;
  }

  get body(): Uint8Array {
    return Buffer.concat(this.#pieces);
  }

  end(body: NativeText = "", closeConnection = false): this {
    this.#requireOpen();
    this.#take(asBytes(body));
    if (this.#isChunked) return this.#end();
    if (closeConnection) this.head.push("connection: close");
    this.head.push(`content-length: ${this.length}`);
    return this.#end();
  }

  get #isChunked(): boolean {
    return this.head.includes("transfer-encoding: chunked");
  }

  write(chunk: NativeText): boolean {
    this.#requireOpen();
    if (this.length === 0) this.head.push("transfer-encoding: chunked");
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
    if (this.#announced === undefined) {
      this.#announced = totalSize;
      this.head.push(`content-length: ${totalSize}`);
    }
    const taken = Math.min(body.length, this.#reader?.room ?? body.length);
    this.#take(body.subarray(0, taken));
    const isDone = this.length === totalSize;
    if (isDone) this.#end();
    else if (this.length === this.#announced) this.#beWhole();
    return [taken === body.length, isDone];
  }

  getWriteOffset(): number {
    return this.length;
  }

  onWritable(handler: (offset: number) => boolean): this {
    if (this.#reader !== undefined)
      this.#reader.onRoom = () => {
        if (!this.isEnded) handler(this.length);
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

  /** Resolves when the server reads again. */
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

  /** Disconnects the client. */
  abort(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.#endPause();
    this.#onAborted?.();
    this.#ended();
  }

  /** Call it after the handler. Throws if the engine would exit the process. */
  requireGuarded(): void {
    if (!this.isEnded && this.#onAborted === undefined) {
      throw new Error("The handler returned with neither an answer nor an abort handler");
    }
  }

  deliver(piece: Uint8Array, last: boolean): void {
    const chunk = new Uint8Array(piece).buffer;
    this.#onData?.(chunk, last);
    // Detaches the chunk, as the engine does.
    structuredClone(chunk, { transfer: [chunk] });
  }

  #endPause(): void {
    this.#pause?.end();
    this.#pause = undefined;
  }

  #requireOpen(): void {
    if (this.isEnded) throw new Error("A response was written to after its end");
  }

  #take(bytes: Uint8Array): void {
    const piece = new Uint8Array(bytes);
    this.length += bytes.length;
    // A reader with a window stores the pieces itself.
    if (this.#reader?.room === undefined) this.#pieces.push(piece);
    this.#reader?.take(piece, this.head);
  }

  /** The client has a whole response that is unended for the server, and closes the connection. */
  #beWhole(): void {
    this.isWhole = true;
    this.#ended();
    setImmediate(() => this.abort());
  }

  #end(): this {
    this.isWhole = true;
    this.isEnded = true;
    this.#endPause();
    this.#ended();
    return this;
  }
}

/** Who is told of an answer as it is written. */
export interface PieceTaker {
  take(piece: Uint8Array, head: readonly string[]): void;
  /** Bytes that may be written now; undefined for as many as come. */
  readonly room?: number;
  /** Called in a turn of its own when there is room again. */
  onRoom?: () => void;
  /** The client goes away. */
  leave: () => void;
}

/** What may wait for a client that reads piece by piece: a socket holds some too. */
const WINDOW_BYTES = 65_536;

/** The client's side of an answer that is read as it comes. */
export class AnswerReader implements PieceTaker {
  head: readonly string[] = [];
  leave: () => void = () => {};
  onRoom: () => void = () => {};
  /** Fulfilled with its first piece, or its end. */
  readonly begun: Promise<void>;
  #tellBegun: () => void = () => {};
  #wake: () => void = () => {};
  #unread: Uint8Array[] = [];
  #bytes = 0;
  #isOver = false;
  #error: unknown;

  constructor() {
    this.begun = new Promise((resolve) => {
      this.#tellBegun = resolve;
    });
  }

  get room(): number {
    return Math.max(0, WINDOW_BYTES - this.#bytes);
  }

  take(piece: Uint8Array, head: readonly string[]): void {
    if (this.head.length === 0) this.head = [...head];
    this.#bytes += piece.length;
    if (piece.length > 0) this.#unread.push(piece);
    this.#tell();
  }

  /** No more comes; with an error where it is not whole. */
  end(error?: unknown): void {
    this.#isOver = true;
    this.#error = error;
    this.#tell();
  }

  /** The next piece; undefined at the end. Rejects where the rest will not come. */
  async next(): Promise<Uint8Array | undefined> {
    while (this.#unread.length === 0 && !this.#isOver)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    const piece = this.#unread.shift();
    if (piece === undefined) {
      if (this.#error !== undefined) throw this.#error;
      return undefined;
    }
    const wasFull = this.room === 0;
    this.#bytes -= piece.length;
    if (wasFull && this.room > 0) setImmediate(() => this.onRoom());
    return piece;
  }

  #tell(): void {
    this.#tellBegun();
    this.#wake();
  }
}

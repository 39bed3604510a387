// Reads and discards the rest of a body before a response that closes the connection. Closed while
// the client still sends, the connection is reset, and the client loses the response (RFC 9112,
// section 9.6). A client that stops sending may be waiting for the response: it is sent then, and
// discarding goes on until the body is over.

export interface DiscardLimits {
  readonly discardLimit: number;
  readonly discardTimeoutMs: number;
}

/** Milliseconds without a byte after which the response is sent. */
const QUIET_MS = 300;

/** Slower uploads are cut by the engine: 16 KB/s. */
const BYTES_PER_MS = 16;

export interface Rest {
  /** Writes the response. `isEarly`: before the body is over. Called once, from a macrotask. */
  readonly write: (isEarly: boolean) => void;
  /** Called after an early response, from a macrotask, when the body is over or will not be read. */
  readonly close: () => void;
}

/** Takes the pieces of the body. */
export class Discarding {
  readonly #rest: Rest;
  readonly #timer: NodeJS.Timeout;
  readonly #quietMs: number;
  #quiet: NodeJS.Timeout | undefined;
  #room: number;
  #state: "reading" | "early" | "over" | "left" = "reading";

  constructor({ discardLimit, discardTimeoutMs }: DiscardLimits, rest: Rest, quietMs = QUIET_MS) {
    this.#rest = rest;
    this.#room = discardLimit;
    this.#timer = setTimeout(() => this.#end(), discardTimeoutMs);
    this.#quietMs = quietMs;
    this.#wait();
  }

  get isReading(): boolean {
    return this.#state === "reading" || this.#state === "early";
  }

  take(piece: ArrayBuffer, last: boolean): void {
    this.#room -= piece.byteLength;
    if (last || this.#room < 0) this.#end();
    else if (this.#state === "reading") this.#wait();
  }

  left(): void {
    this.#state = "left";
    this.#stop();
  }

  #wait(): void {
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => this.#beEarly(), this.#quietMs);
  }

  #beEarly(): void {
    this.#state = "early";
    this.#rest.write(true);
  }

  #end(): void {
    if (!this.isReading) return;
    const isEarly = this.#state === "early";
    this.#state = "over";
    this.#stop();
    setImmediate(() => {
      if (this.#state === "left") return;
      if (isEarly) this.#rest.close();
      else this.#rest.write(false);
    });
  }

  #stop(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#quiet);
  }
}

/** For a body that may be read whole, however long it is. */
export const limitsOf = (bodyLength: number, { discardTimeoutMs }: DiscardLimits): DiscardLimits => ({
  discardLimit: bodyLength,
  discardTimeoutMs: discardTimeoutMs + bodyLength / BYTES_PER_MS,
});

// zlib for whole bodies and streams. 16 KiB of JSON take 100 us with brotli 3, 180 with brotli 4, 125
// with gzip 6. A thread costs the event loop 70 to 170 us, even for a small body.

import {
  type BrotliCompress,
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  type Gzip,
  gzip,
  gzipSync,
} from "node:zlib";
import type { Coding, CompressionRules } from "../../plan/compression-rules.js";

/** Smaller bodies are compressed synchronously. */
export const AT_ONCE_BYTES = 16_384;

export type Coder = Gzip | BrotliCompress;

export const FLUSHES: Readonly<Record<Coding, number>> = {
  br: constants.BROTLI_OPERATION_FLUSH,
  gzip: constants.Z_SYNC_FLUSH,
};

export class Encoder {
  readonly #rules: CompressionRules;
  readonly #gzip: { readonly level: number };
  running = 0;
  streams = 0;

  constructor(rules: CompressionRules) {
    this.#rules = rules;
    this.#gzip = { level: rules.gzipLevel };
  }

  get isBusy(): boolean {
    return this.running >= this.#rules.maxConcurrent;
  }

  /** Compresses synchronously. Undefined if zlib fails. */
  now(body: string | Uint8Array, coding: Coding): Uint8Array | undefined {
    try {
      if (coding === "gzip") return gzipSync(body, this.#gzip);
      return brotliCompressSync(body, this.#brotli(body.length));
    } catch {
      return undefined;
    }
  }

  /** Compresses in a thread, which reads `body` until `done` is called in a later turn. */
  later(body: Uint8Array, coding: Coding, done: (coded: Uint8Array | undefined) => void): void {
    this.running += 1;
    const finish = (error: Error | null, coded?: Uint8Array): void => {
      this.running -= 1;
      done(error === null ? coded : undefined);
    };
    try {
      if (coding === "gzip") gzip(body, this.#gzip, finish);
      else brotliCompress(body, this.#brotli(body.length), finish);
    } catch (error) {
      // Out of memory.
      setImmediate(finish, error as Error);
    }
  }

  /** The caller must end or destroy the coder. Undefined above the limit, and if zlib fails. */
  open(coding: Coding): Coder | undefined {
    if (this.streams >= this.#rules.maxStreams) return undefined;
    const coder = this.#coder(coding);
    if (coder === undefined) return undefined;
    this.streams += 1;
    coder.once("close", () => {
      this.streams -= 1;
    });
    return coder;
  }

  #coder(coding: Coding): Coder | undefined {
    try {
      return coding === "gzip" ? createGzip(this.#gzip) : createBrotliCompress(this.#brotli(0));
    } catch {
      return undefined;
    }
  }

  #brotli(length: number): { readonly params: Record<number, number> } {
    const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
    return {
      params: { [BROTLI_PARAM_QUALITY]: this.#rules.brotliQuality, [BROTLI_PARAM_SIZE_HINT]: length },
    };
  }
}

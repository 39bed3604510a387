import { setImmediate as turn } from "node:timers/promises";

import type { BytePull } from "./byte-pull.js";

/** After so many empty ones others have their turn: a source need not wait for anything. */
const TURN_EMPTY = 256;

/** A source gave another length than was said. */
export class LengthError extends Error {
  override readonly name = "LengthError";
}

/**
 * The pieces of a source as bytes, none of them empty. Where a length was said, the last one
 * comes when the source has ended: what is longer was not whole before (SA4).
 */
export class CountedPieces {
  readonly #pull: BytePull;
  readonly #length: number | undefined;
  #pulled = 0;
  #isCancelled = false;
  /** The first half of a character whose second one comes with the next piece. */
  #half = "";

  constructor(pull: BytePull, length: number | undefined) {
    this.#pull = pull;
    this.#length = length;
  }

  /** The next one; undefined at the end. Rejects with what the source throws, and with LengthError. */
  async next(): Promise<Uint8Array | undefined> {
    const piece = await this.#some();
    const length = this.#length;
    if (length === undefined) return piece;
    this.#pulled += piece?.length ?? 0;
    if (piece === undefined && this.#pulled < length)
      throw new LengthError(`A stream of ${length} bytes ended after ${this.#pulled}`);
    if (piece === undefined || this.#pulled < length) return piece;
    // What gave it may write over it as it goes on; and slice() of a Buffer is no copy.
    const last = new Uint8Array(piece);
    if (this.#pulled > length || (await this.#some()) !== undefined)
      throw new LengthError(`A stream of ${length} bytes gave more than those`);
    return last;
  }

  cancel(reason: unknown): Promise<void> {
    this.#isCancelled = true;
    return this.#pull.cancel(reason);
  }

  async #some(): Promise<Uint8Array | undefined> {
    for (let empty = 1; !this.#isCancelled; empty += 1) {
      const piece = await this.#pull.next();
      const bytes = piece instanceof Uint8Array ? piece : this.#encoded(piece);
      if (bytes === undefined || bytes.length > 0) return bytes;
      if (empty % TURN_EMPTY === 0) await turn();
    }
    return undefined;
  }

  #encoded(text: string | undefined): Uint8Array | undefined {
    const whole = this.#half + (text ?? "");
    if (text === undefined) {
      this.#half = "";
      return whole === "" ? undefined : Buffer.from(whole);
    }
    const last = whole.charCodeAt(whole.length - 1);
    const isCut = last >= 0xd800 && last <= 0xdbff;
    this.#half = isCut ? whole.slice(-1) : "";
    return Buffer.from(isCut ? whole.slice(0, -1) : whole);
  }
}

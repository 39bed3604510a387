import { invalidOption } from "./invalid-option.js";

// 144 bits: more than the 128 that the specification wants, and no padding in base64.
const BYTES = 18;
const CHARACTERS = 24;

/** Drawn at once: each call of the generator costs a microsecond. */
const DRAWN = 128;

/** Values that nobody can guess, each given out once: base64 for URLs, which stands in a header and in HTML as it is. */
export class Nonces {
  readonly #random: (size: number) => Uint8Array;
  #drawn: string;
  #at = 0;

  /** Throws CONFIG_INVALID where `random` answers fewer bytes than it was asked for. */
  constructor(random: (size: number) => Uint8Array) {
    if (typeof random !== "function")
      throw invalidOption("randomBytes", "give a function that answers as many bytes as it is asked for");
    this.#random = random;
    this.#drawn = this.#draw();
  }

  next(): string {
    if (this.#at === this.#drawn.length) {
      this.#drawn = this.#draw();
      this.#at = 0;
    }
    this.#at += CHARACTERS;
    return this.#drawn.slice(this.#at - CHARACTERS, this.#at);
  }

  #draw(): string {
    const bytes = this.#random(BYTES * DRAWN);
    if (bytes.length !== BYTES * DRAWN)
      throw invalidOption(
        "randomBytes(size)",
        `it must answer as many bytes as size says, not ${bytes.length}`,
      );
    return Buffer.from(bytes).toString("base64url");
  }
}

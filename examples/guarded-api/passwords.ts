// Passwords are kept as scrypt hashes (RFC 7914), which are made off the main loop.

import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);

export interface PasswordHash {
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** Nobody's: no password has it, and comparing with it takes as long as with another. */
const NOBODYS: PasswordHash = { salt: randomBytes(16), hash: randomBytes(32) };

/** Each takes 32 MiB while it is made; Node.js makes four at once, and the others wait. */
const MAX_AT_ONCE = 32;

/** Made once, and given to whatever makes or compares hashes: it bounds how many there are at once. */
export class Passwords {
  readonly #options: object;
  #atOnce = 0;

  /** `cost` is scrypt's N, beside r = 8 and p = 3 (OWASP, "Password Storage"). Tests take a cheap one. */
  constructor(cost = 2 ** 15) {
    this.#options = { N: cost, r: 8, p: 3, maxmem: 64 * 1024 * 1024 };
  }

  /** Undefined where too many are being made already. */
  async hashOf(password: string): Promise<PasswordHash | undefined> {
    const salt = randomBytes(16);
    const hash = await this.#derive(password, salt);
    return hash && { salt, hash };
  }

  /** Without a hash, for an account that is not there, it is as much work, and false. */
  async isRight(password: string, kept: PasswordHash = NOBODYS): Promise<boolean | undefined> {
    const hash = await this.#derive(password, kept.salt);
    return hash && timingSafeEqual(hash, kept.hash);
  }

  async #derive(password: string, salt: Buffer): Promise<Buffer | undefined> {
    if (this.#atOnce >= MAX_AT_ONCE) return undefined;
    this.#atOnce += 1;
    try {
      // Keyboards differ in how they write a letter with its accent.
      return await derive(password.normalize("NFKC"), salt, 32, this.#options);
    } finally {
      this.#atOnce -= 1;
    }
  }
}

import { createHmac, randomBytes } from "node:crypto";

import type { SubjectKeyStore } from "#core/ports/audit-sink.js";

/** Keys of persons in this process, for tests. */
export class MemorySubjectKeys implements SubjectKeyStore {
  readonly #secret = randomBytes(32);
  readonly #keys = new Map<string, Uint8Array>();

  readonly pseudonym = (subject: string): string =>
    createHmac("sha256", this.#secret).update(subject).digest("base64url");

  readonly key = (pseudonym: string): Uint8Array => {
    const kept = this.#keys.get(pseudonym) ?? randomBytes(32);
    this.#keys.set(pseudonym, kept);
    return kept;
  };

  readonly find = (pseudonym: string): Uint8Array | undefined => this.#keys.get(pseudonym);

  /** Afterwards the texts that this person's key sealed cannot be read. */
  delete(subject: string): boolean {
    return this.#keys.delete(this.pseudonym(subject));
  }
}

// Makes the checkpoints of a sink. Several processes may do so at once: only one checkpoint of a
// number is kept, and the later process reads again.

import { FrameworkError } from "#core/errors.js";
import { invalidOption } from "#core/invalid-option.js";
import type { AuditSource } from "#core/ports/audit-sink.js";
import { visible } from "#core/wire/visible-text.js";
import { microsecondsNow, timestampOf } from "../event/timestamp.js";
import { NO_ORIGIN, signedCheckpoint, signedText } from "./checkpoint.js";
import { broken, type NewestCheckpoint, nextSegment, requireCheckpoint, type Segment } from "./segment.js";
import { type AuditSigningKey, isSignedBy } from "./signing-key.js";

export interface SignerOptions {
  readonly key: AuditSigningKey;
  /**
   * The former key, needed once after a change: the first checkpoint of the new key is signed by both.
   * "lost" if the former key no longer exists: verification then needs both public keys.
   */
  readonly previousKey?: AuditSigningKey | "lost";
  /**
   * Name of the log in its checkpoints and proofs, for `origin` of `verifyAudit`: it never changes. A log
   * that has none gets it with its next checkpoint. Default: the first half of the hash of its first event;
   * none for a log that an earlier release signed.
   */
  readonly origin?: string;
}

export class Signer {
  readonly #source: AuditSource;
  readonly #options: SignerOptions;
  /** The newest checkpoint that this process has seen: an older or different one is a rollback. */
  #seen: NewestCheckpoint | undefined;

  constructor(source: AuditSource, options: SignerOptions) {
    const { origin = "log" } = options;
    if (typeof origin !== "string" || !/^[^\p{C}\p{Z}]{1,200}$/u.test(origin) || origin === NO_ORIGIN)
      throw invalidOption(
        "signedAudit",
        `origin is a name of 1 to 200 characters without spaces, and not '${NO_ORIGIN}'`,
      );
    this.#source = source;
    this.#options = options;
  }

  /**
   * Signs the events up to the current head that no checkpoint covers, if there are at least `least`.
   * Resolves to the newest checkpoint. `adopts` says that this process appended none of them.
   */
  async sign(least = 1, { adopts = false } = {}): Promise<NewestCheckpoint | undefined> {
    const { shown } = this.#source;
    let newest = await this.newest();
    // Read after the checkpoints: the events that they cover exist, unless the log was cut.
    const head = (await this.#source.head())?.position ?? 0;
    const covered = (): number => newest?.checkpoint.last ?? 0;
    if (head < covered()) throw broken(shown, `events up to ${covered()} were signed and are missing`);
    if (head - covered() < least) return newest;
    while (covered() < head) {
      const segment = await nextSegment(this.#source, newest, head);
      await this.#put(adopts ? { ...segment, adopted: segment.last - segment.first + 1 } : segment, newest);
      newest = await this.newest();
    }
    return newest;
  }

  /** Signs that events up to this position, which checkpoints cover, are archived. */
  async archive(through: number): Promise<void> {
    for (;;) {
      const newest = await this.sign();
      if (newest === undefined || newest.checkpoint.archived >= through) return;
      const segment = await nextSegment(this.#source, newest, newest.checkpoint.last);
      await this.#put(segment, newest, through);
    }
  }

  /** Throws AUDIT_CHAIN_BROKEN if it was changed or is older than a known one, AUDIT_KEY_INVALID for another key. */
  async newest(): Promise<NewestCheckpoint | undefined> {
    const { shown, checkpoints } = this.#source;
    const kept = await checkpoints.newest();
    const newest = kept && requireCheckpoint(shown, kept);
    const seen = this.#seen;
    if (
      seen !== undefined &&
      (newest?.checkpoint.number ?? 0) <= seen.checkpoint.number &&
      newest?.hash !== seen.hash
    )
      throw broken(shown, `checkpoint ${seen.checkpoint.number} was there, and is not any more`);
    if (newest !== undefined && newest.hash !== seen?.hash) this.#check(newest);
    this.#seen = newest;
    return newest;
  }

  #check({ checkpoint }: NewestCheckpoint): void {
    const { key, previousKey, origin } = this.#options;
    if (origin !== undefined && checkpoint.origin !== undefined && checkpoint.origin !== origin)
      throw invalidOption(
        "signedAudit",
        `origin is '${origin}', and ${this.#source.shown} is the log '${visible(checkpoint.origin)}': give that name, or the log that you mean`,
      );
    const signer = [key, ...(typeof previousKey === "object" ? [previousKey] : [])].find(
      ({ id }) => id === checkpoint.key,
    );
    if (signer === undefined) {
      if (previousKey === "lost") return;
      throw new FrameworkError(
        "AUDIT_KEY_INVALID",
        `${this.#source.shown}: checkpoint ${checkpoint.number} was signed by the key ${checkpoint.key}, not by ${key.id}: give the former key as previousKey, or previousKey: "lost"`,
      );
    }
    if (!isSignedBy(signer, signedText(checkpoint), checkpoint.signatures[signer.id] ?? ""))
      throw broken(this.#source.shown, `the signature of checkpoint ${checkpoint.number} is wrong`);
  }

  async #put(segment: Segment, newest: NewestCheckpoint | undefined, archived = 0): Promise<void> {
    const { key, previousKey, origin } = this.#options;
    const isRotated =
      newest !== undefined && newest.checkpoint.key !== key.id && typeof previousKey === "object";
    const kept = signedCheckpoint(
      {
        ...{ ...segment, ...(origin !== undefined && { origin }) },
        archived: Math.max(archived, newest?.checkpoint.archived ?? 0),
        timestamp: timestampOf(microsecondsNow()),
        key: key.id,
        ...(isRotated && { rotation: { from: previousKey.spki, to: key.spki } }),
      },
      isRotated ? [key, previousKey] : [key],
    );
    if (await this.#source.checkpoints.put(kept)) this.#seen = requireCheckpoint(this.#source.shown, kept);
  }
}

// Sends the checkpoints of a sink to one anchor. The sink's own table is the queue: for a failing or
// late anchor only the number of its last checkpoint is kept in memory.

import type { Reporter } from "#core/bus/reporter.js";
import { FrameworkError } from "#core/errors.js";
import type { AuditAnchor, AuditSource } from "#core/ports/audit-sink.js";

/** Maximum number of checkpoints read at once. */
const PAGE = 100;

export interface AnchoringOptions {
  readonly report: Reporter;
  /** Calls `late` after a fixed time; returns a function that cancels it. */
  readonly timeout: (late: () => void) => () => void;
}

export class Anchored {
  readonly #anchor: AuditAnchor;
  readonly #source: AuditSource;
  readonly #options: AnchoringOptions;
  /** Undefined until the anchor has responded. */
  #number: number | undefined;
  #isLate = false;
  /** A call is in flight: no other one is made meanwhile. */
  #pending = false;

  constructor(anchor: AuditAnchor, source: AuditSource, options: AnchoringOptions) {
    this.#anchor = anchor;
    this.#source = source;
    this.#options = options;
  }

  /** Resolves to the error that delays the anchor, or to undefined once it has checkpoint `number`. */
  async upTo(number: number): Promise<Error | undefined> {
    try {
      this.#number ??= await this.#newestNumber();
      while (this.#number < number) {
        for (const checkpoint of await this.#source.checkpoints.list(this.#number, PAGE)) {
          await this.#timely(() => this.#anchor.put(checkpoint));
          this.#number = checkpoint.number;
        }
      }
      this.#isLate = false;
      return undefined;
    } catch (error) {
      // The anchor's state may have changed meanwhile.
      const behind = number - (this.#number ?? 0);
      this.#number = undefined;
      this.#tell(behind, error);
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  async #newestNumber(): Promise<number> {
    const newest = await this.#timely(() => this.#anchor.newest());
    if (newest === undefined) return 0;
    const [own] = await this.#source.checkpoints.list(newest.number - 1, 1);
    if (own?.number === newest.number && own.text === newest.text) return newest.number;
    throw new FrameworkError(
      "AUDIT_ANCHOR_CONFLICT",
      `${this.#anchor.shown} holds a checkpoint ${newest.number} that ${this.#source.shown} lacks: the log was rolled back or changed, or the anchor is that of another log; run "framework audit verify" with this anchor`,
    );
  }

  #tell(behind: number, error: unknown): void {
    if (this.#isLate) return;
    this.#isLate = true;
    this.#options.report({
      code: "AUDIT_ANCHOR_LATE",
      message: `${this.#anchor.shown}: ${behind} checkpoints of ${this.#source.shown} are not anchored`,
      error,
    });
  }

  async #timely<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#pending) throw new Error("an earlier call has not been answered");
    this.#pending = true;
    const asked = ask().finally(() => {
      this.#pending = false;
    });
    let cancel: () => void = () => {};
    const late = new Promise<never>((_, reject) => {
      cancel = this.#options.timeout(() => reject(new Error("it did not answer in time")));
    });
    // The call settles after it was late.
    asked.catch(() => {});
    try {
      return await Promise.race([asked, late]);
    } finally {
      cancel();
    }
  }
}

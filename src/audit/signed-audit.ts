// A sink that signs its events: after a number of events or a time it makes a checkpoint of the head
// and sends it to the anchors. Makes one checkpoint at a time.

import { backgroundClock } from "#core/background-clock.js";
import { type Reporter, reportAsWarning } from "#core/bus/reporter.js";
import type { Clock } from "#core/clock.js";
import { FrameworkError } from "#core/errors.js";
import { requireKnownOptions, requireWhole } from "#core/invalid-option.js";
import type { AuditEntry, PlacedAuditEvent } from "#core/ports/audit-event.js";
import type {
  AuditAnchor,
  AuditCheckpoints,
  AuditQuery,
  AuditRow,
  AuditSink,
} from "#core/ports/audit-sink.js";
import { Anchored } from "./chain/anchored.js";
import { Signer, type SignerOptions } from "./chain/signer.js";

export interface SignedAuditOptions extends SignerOptions {
  /** Receive the checkpoints. Without anchors the log proves nothing against a program that can write all of its tables. */
  readonly anchors?: readonly AuditAnchor[];
  /** Events after which a checkpoint is made. Default 1000. */
  readonly everyEvents?: number;
  /** Milliseconds after which one is made if there are new events. Default 60 000. */
  readonly everyMs?: number;
  /** "each": an append resolves once a checkpoint that covers it has reached all anchors. */
  readonly anchor?: "each";
  /** Time limit of a call to an anchor, in milliseconds. Default 10 000. */
  readonly anchorTimeoutMs?: number;
  /** Receives AUDIT_UNSIGNED and AUDIT_ANCHOR_LATE. Default: a process warning. */
  readonly report?: Reporter;
  readonly clock?: Clock;
}

const OPTIONS = [
  "key",
  "previousKey",
  "origin",
  "anchors",
  "everyEvents",
  "everyMs",
  "anchor",
  "anchorTimeoutMs",
  "report",
  "clock",
];

/** Signs the events of a sink. Throws CONFIG_INVALID. */
export const signedAudit = (sink: AuditSink, options: SignedAuditOptions): AuditSink => {
  requireKnownOptions("signedAudit", options, OPTIONS);
  return new SignedAudit(sink, options);
};

class SignedAudit implements AuditSink {
  readonly shown: string;
  readonly perProcess?: string;
  readonly checkpoints: AuditCheckpoints;
  readonly #sink: AuditSink;
  readonly #signer: Signer;
  readonly #anchors: readonly Anchored[];
  readonly #isEach: boolean;
  readonly #everyEvents: number;
  readonly #everyMs: number;
  readonly #clock: Clock;
  readonly #report: Reporter;
  #checked: Promise<unknown> | undefined;
  /** Position up to which events are signed, as known to this process. */
  #signed = 0;
  #isUnsigned = false;
  #least = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | undefined;
  #running: Promise<Error | undefined> | undefined;
  #next: Promise<Error | undefined> | undefined;

  constructor(sink: AuditSink, options: SignedAuditOptions) {
    const whole = (
      name: "everyEvents" | "everyMs" | "anchorTimeoutMs",
      standard: number,
      max: number,
    ): number => requireWhole("signedAudit", name, options[name] ?? standard, 1, max);
    this.#sink = sink;
    this.shown = sink.shown;
    if (sink.perProcess !== undefined) this.perProcess = sink.perProcess;
    this.checkpoints = sink.checkpoints;
    this.#signer = new Signer(sink, options);
    this.#clock = options.clock ?? backgroundClock;
    this.#report = options.report ?? reportAsWarning;
    this.#everyEvents = whole("everyEvents", 1000, 65_536);
    this.#everyMs = whole("everyMs", 60_000, 86_400_000);
    const timeoutMs = whole("anchorTimeoutMs", 10_000, 600_000);
    this.#isEach = options.anchor === "each";
    const timeout = (late: () => void): (() => void) => this.#clock.after(timeoutMs, late);
    this.#anchors = (options.anchors ?? []).map(
      (anchor) => new Anchored(anchor, sink, { report: this.#report, timeout }),
    );
  }

  readonly append = async (entry: AuditEntry): Promise<PlacedAuditEvent> => {
    await this.#begun();
    const placed = await this.#sink.append(entry);
    if (this.#isEach) await this.#protected(placed);
    else if (placed.position - this.#signed >= this.#everyEvents) void this.#cycle(this.#everyEvents);
    else this.#schedule();
    return placed;
  };

  readonly rows = (from?: number): AsyncIterable<AuditRow> => this.#sink.rows(from);
  readonly head = (): Promise<AuditRow | undefined> => this.#sink.head();
  readonly defects = async (): Promise<readonly string[]> => (await this.#sink.defects?.()) ?? [];
  readonly find = (id: string): Promise<AuditRow | undefined> => this.#sink.find(id);
  readonly query = (query?: AuditQuery): Promise<readonly AuditRow[]> => this.#sink.query(query);
  readonly remove = (through: number, limit: number): Promise<number> => this.#sink.remove(through, limit);

  readonly begin = async (): Promise<void> => {
    try {
      await this.#begun();
    } catch (error) {
      this.#tell(error);
      this.#schedule();
    }
  };

  /** Signs and anchors the remaining events. */
  readonly close = async (): Promise<void> => {
    await this.#checked?.catch(() => {});
    if (this.#checked !== undefined) await this.#cycle();
    this.#cancel?.();
    this.#cancel = undefined;
    await this.#sink.close();
  };

  /**
   * Runs before the first event is acknowledged: with a wrong key it would never be signed. Verifies and
   * signs the events behind the newest checkpoint, at most 65 536 in memory and with one signature.
   */
  async #begun(): Promise<void> {
    this.#checked ??= this.#signer.sign(1, { adopts: true }).then((newest) => {
      this.#signed = newest?.checkpoint.last ?? 0;
      this.#isUnsigned = false;
      // A process may also have ended between signing and anchoring.
      if (newest !== undefined && this.#anchors.length > 0) void this.#cycle(this.#everyEvents);
    });
    try {
      await this.#checked;
    } catch (error) {
      this.#checked = undefined;
      throw error;
    }
  }

  async #protected({ position }: PlacedAuditEvent): Promise<void> {
    const cause = await this.#cycle();
    if (cause === undefined) return;
    throw new FrameworkError(
      "AUDIT_ANCHOR_FAILED",
      `${this.shown}: event ${position} is kept and not anchored: ${cause.message}`,
      {
        cause,
      },
    );
  }

  #schedule(): void {
    this.#cancel ??= this.#clock.after(this.#everyMs, () => {
      this.#cancel = undefined;
      void (this.#checked === undefined ? this.begin() : this.#cycle());
    });
  }

  /**
   * Signs and anchors in a cycle that begins after this call, if at least `least` events are unsigned:
   * another process may have signed them. Resolves to the error, if any.
   */
  #cycle(least = 1): Promise<Error | undefined> {
    this.#least = Math.min(this.#least, least);
    this.#next ??= (this.#running ?? Promise.resolve()).then(() => {
      this.#next = undefined;
      this.#running = this.#signAndAnchor(this.#least);
      this.#least = Number.POSITIVE_INFINITY;
      return this.#running;
    });
    return this.#next;
  }

  async #signAndAnchor(least: number): Promise<Error | undefined> {
    try {
      const newest = await this.#signer.sign(least);
      this.#isUnsigned = false;
      if (newest === undefined) return undefined;
      this.#signed = newest.checkpoint.last;
      const { number } = newest.checkpoint;
      const failed = (await Promise.all(this.#anchors.map((anchor) => anchor.upTo(number)))).find(Boolean);
      if (failed !== undefined) this.#schedule();
      return failed;
    } catch (error) {
      this.#tell(error);
      this.#schedule();
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  #tell(error: unknown): void {
    if (this.#isUnsigned) return;
    this.#isUnsigned = true;
    this.#report({
      code: "AUDIT_UNSIGNED",
      message: `${this.shown}: no checkpoint could be made: events behind ${this.#signed} are not signed`,
      error,
    });
  }
}

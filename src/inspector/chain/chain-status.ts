// Verifies the audit log when the Inspector is asked. It reads the whole log, so
// that one verification runs at a time, for all callers, and its result stands for MAX_AGE_MS.

import type { Static } from "@sinclair/typebox";

import type { AuditVerification } from "#audit/chain/verification.js";
import { type VerifyOptions, verifyAudit } from "#audit/chain/verify.js";
import type { Fault } from "#core/bus/outcome.js";
import { type Clock, systemClock } from "#core/clock.js";
import { FrameworkError } from "#core/errors.js";
import type { AuditSource } from "#core/ports/audit-sink.js";
import type { AuditStatus } from "../api/audit.js";
import { LATE, withDeadline } from "../api/deadline.js";
import { type InspectorFault, inspectorFault } from "../api/fault.js";

type Status = Static<typeof AuditStatus>["data"];
type Result = NonNullable<Status["result"]>;
type Refused = Fault<InspectorFault>;

const MAX_AGE_MS = 60_000;

export interface ChainStatusOptions extends Pick<VerifyOptions, "keys" | "anchor"> {
  readonly source: AuditSource;
  readonly clock?: Clock;
  /** Milliseconds since 1970. */
  readonly wallClock?: () => number;
}

export class ChainStatus {
  readonly #options: ChainStatusOptions;
  readonly #clock: Clock;
  readonly #wallClock: () => number;
  #running: Promise<Refused | undefined> | undefined;
  #eventsRead = 0;
  #result: Result | undefined;

  constructor(options: ChainStatusOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#wallClock = options.wallClock ?? Date.now;
  }

  async verify(): Promise<Status | Refused> {
    const age = this.#wallClock() - (this.#result?.verified_at ?? Number.NEGATIVE_INFINITY);
    if (age >= MAX_AGE_MS) this.#running ??= this.#verified();
    const ended = this.#running === undefined ? undefined : await withDeadline(this.#clock, this.#running);
    if (ended !== undefined && ended !== LATE) return ended;
    return {
      log: this.#options.source.shown,
      state: ended === LATE ? "running" : "done",
      events_read: ended === LATE ? this.#eventsRead : 0,
      result: this.#result ?? null,
    };
  }

  /** Never rejects. */
  async #verified(): Promise<Refused | undefined> {
    const { source, keys = [], anchor } = this.#options;
    const began = this.#clock.now();
    this.#eventsRead = 0;
    try {
      const verification = await verifyAudit(source, {
        keys,
        chainOnly: keys.length === 0,
        ...(anchor && { anchor }),
        onProgress: (events) => {
          this.#eventsRead = events;
        },
      });
      this.#result = {
        ...shown(verification),
        is_signed: keys.length > 0,
        verified_at: this.#wallClock(),
        duration_ms: this.#clock.now() - began,
      };
      return undefined;
    } catch (error) {
      // Others may quote what a database says.
      const detail = error instanceof FrameworkError ? error.message : "Its sink failed";
      return inspectorFault("AUDIT_UNREAD", { detail, headers: { "retry-after": "1" } });
    } finally {
      this.#running = undefined;
    }
  }
}

const shown = ({
  isSound,
  events,
  checkpoints,
  newest,
  anchored,
  behind,
  failures,
  failureCount,
  notes,
}: AuditVerification): Omit<Result, "is_signed" | "verified_at" | "duration_ms"> => ({
  is_sound: isSound,
  events,
  checkpoints,
  newest: newest ? { ...newest } : null,
  anchored: anchored ? { ...anchored } : null,
  behind,
  failures: failures.map(({ kind, position = null, checkpoint = null, message }) => ({
    kind,
    position,
    checkpoint,
    message,
  })),
  failure_count: failureCount,
  notes: [...notes],
});

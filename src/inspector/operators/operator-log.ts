// What operators do, recorded in the audit log before they are answered, with their role, the id of
// their token, node and run. Logged at info where no audit log is, and where it fails.

import { type Fault, isFault } from "#core/bus/outcome.js";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import type { Reporter } from "#core/bus/reporter.js";
import { type Clock, systemClock } from "#core/clock.js";
import type { AuditSink } from "#core/ports/audit-sink.js";
import type { AuditFailureMode } from "#core/ports/audit-use.js";
import type { TracedRun } from "#core/timeline/recorder.js";
import { inTime } from "#runtime/run/in-time.js";
import type { Intervention } from "#runtime/run/intervention.js";
import { SINK_MS, unwritten } from "#runtime/run/unwritten-audit.js";
import { type InspectorFault, inspectorFault } from "../api/fault.js";
import type { Breakpoint } from "../breakpoints/breakpoint.js";
import type { Caller } from "../door/caller.js";

export interface OperatorLogOptions {
  /** Undefined: the log alone. */
  readonly sink: AuditSink | undefined;
  /** "refuse": each action is recorded before it is done, too, or is not done. */
  readonly onFailure: AuditFailureMode;
  readonly info: (fields: object, message: string) => void;
  readonly reporter: Reporter;
  readonly clock?: Clock;
}

interface Action {
  readonly action: `inspector.${string}`;
  readonly target: string;
  readonly intent?: string;
}

type Facts = Readonly<Record<string, unknown>>;
type Refused = Fault<InspectorFault>;

/** Hits whose events are being written. */
const MAX_HITS_AT_ONCE = 64;

const UNRECORDED = inspectorFault("ACTION_UNRECORDED", { headers: { "retry-after": "1" } });

export const actorOf = ({ role, tokenId }: Caller): string => `${role}:${tokenId}`;

export class OperatorLog {
  readonly #options: OperatorLogOptions;
  #hits = 0;
  /** Hits not recorded since the last recorded one. */
  #skipped = 0;

  constructor(options: OperatorLogOptions) {
    this.#options = options;
  }

  get sink(): AuditSink | undefined {
    return this.#options.sink;
  }

  /** For the audit log of an Axon, unless it is the one here. */
  intervention(actor: string): Intervention {
    return { actor, recordedIn: this.sink };
  }

  /**
   * Runs an action and records it, with the fields that `factsOf` takes from its result. A refused
   * action is not recorded as done.
   */
  async acted<T>(
    by: Caller,
    action: Action,
    act: () => MaybePromise<T | Refused>,
    factsOf: (done: T) => Facts,
  ): Promise<T | Refused> {
    const { sink, onFailure } = this.#options;
    if (sink !== undefined && onFailure === "refuse") {
      const asked = { ...action, action: `${action.action}.asked` } as const;
      if (!(await this.#append(actorOf(by), asked, callerFacts(by), "refuse"))) return UNRECORDED;
    }
    const done = await act();
    if (!isFault(done)) await this.record(by, action, factsOf(done as T));
    return done;
  }

  async record(by: Caller, action: Action, facts: Facts): Promise<void> {
    await this.#append(actorOf(by), action, { ...callerFacts(by), ...facts });
  }

  /** A breakpoint holds a run, or keeps its input. Recorded while the run continues or is held. */
  hit({ fields }: Breakpoint, run: TracedRun): void {
    if (this.#hits >= MAX_HITS_AT_ONCE) {
      this.#skipped += 1;
      return;
    }
    const { id, circuit, node_id, mode } = fields;
    const skipped = this.#skipped;
    this.#skipped = 0;
    const facts = { circuit, node_id, run_id: run.runId, mode, ...(skipped > 0 && { unrecorded: skipped }) };
    this.#hits += 1;
    const action = { action: "inspector.breakpoint.hit", target: run.runId } as const;
    void this.#append(`breakpoint:${id}`, action, facts).finally(() => {
      this.#hits -= 1;
    });
  }

  /** Resolves to whether it is kept; never rejects. */
  async #append(
    actor: string,
    what: Action,
    metadata: Facts,
    mode: AuditFailureMode = "log",
  ): Promise<boolean> {
    const { sink, info, reporter, clock = systemClock } = this.#options;
    const entry = { actor, ...what, metadata };
    try {
      if (sink !== undefined) {
        await inTime(sink.append(entry), SINK_MS, clock);
        return true;
      }
    } catch (error) {
      reporter(unwritten(entry, mode, error));
    }
    info({ audit: entry }, `${what.action} on ${what.target} by ${actor}`);
    return false;
  }
}

const callerFacts = ({ role, tokenId, requestId }: Caller): Facts => ({
  role,
  token: tokenId,
  request_id: requestId,
});

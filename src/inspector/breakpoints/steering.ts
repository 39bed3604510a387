// Holds runs at their breakpoints, and lets operators steer those that are held: a
// consumer of the recorder port.

import type { TSchema } from "@sinclair/typebox";
import { type Fault, isFault } from "#core/bus/outcome.js";
import type { SchemaError } from "#core/bus/schema-error.js";
import { type Clock, systemClock } from "#core/clock.js";
import type { Recorder, TracedRequest, TracedRun, WatchedCircuit } from "#core/timeline/recorder.js";
import { namesOf, requireInteger, requireKnown } from "#http/refusal/option-checks.js";
import { isPending } from "#runtime/run/answers.js";
import { compileSchema } from "#schema/compile/validator.js";
import type { PausedRun, Released } from "../api/breakpoints.js";
import { type InspectorFault, inspectorFault } from "../api/fault.js";
import type { NodePlace } from "../api/node-place.js";
import type { Payload } from "../api/traces.js";
import { requestSummary } from "../traces/request-summary.js";
import type { Breakpoint, ToldBreakpoint } from "./breakpoint.js";
import type { BreakpointEvent } from "./breakpoint-event.js";
import { Breakpoints, type BreakpointsOptions } from "./breakpoints.js";
import { editedInput, UneditableError } from "./edited-input.js";
import { type Ending, type HeldRun, HeldRuns } from "./held-runs.js";

export interface SteeringOptions extends BreakpointsOptions {
  /** Runs held at once. Default 32. */
  readonly maxHeld?: number;
  /** Stands in the ids of its holds, where another process has some too. Default: nothing. */
  readonly process?: string;
  /** What an operator sees of an input. Default: nothing. */
  readonly capture?: (
    input: unknown,
    schema: TSchema | undefined,
    place: NodePlace,
    run: TracedRun,
  ) => Payload;
  /** Called for each hit in this process. Default: nothing. Must not throw. */
  readonly hit?: (breakpoint: Breakpoint, run: TracedRun) => void;
  /** The input schema of a node. Default: none, and an edit may be any JSON. */
  readonly schemaOf?: (circuit: string, node: string) => TSchema | undefined;
  /** How long a request's run may take, in milliseconds from its beginning. Default: as long as it likes. */
  readonly timeoutMsOf?: (circuit: string, request: TracedRequest) => number | undefined;
}

/** An input in the place of the held one; none where there is no member. */
interface Release {
  readonly input?: unknown;
}

type Refused = Fault<InspectorFault>;
type ReleasedRun = (typeof Released)["static"]["data"];

const OPTIONS = namesOf<SteeringOptions>({
  maxBreakpoints: true,
  maxHeld: true,
  process: true,
  capture: true,
  hit: true,
  schemaOf: true,
  timeoutMsOf: true,
  watchAll: true,
  tell: true,
  clock: true,
  wallClock: true,
});

export class Steering implements Recorder {
  readonly breakpoints: Breakpoints;
  readonly maxHeld: number;
  readonly #held: HeldRuns;
  readonly #process: string;
  readonly #capture: NonNullable<SteeringOptions["capture"]>;
  readonly #hit: NonNullable<SteeringOptions["hit"]>;
  readonly #schemaOf: NonNullable<SteeringOptions["schemaOf"]>;
  readonly #timeoutMsOf: NonNullable<SteeringOptions["timeoutMsOf"]>;
  readonly #tell: (event: BreakpointEvent) => void;
  readonly #wallClock: () => number;
  #holds = 0;
  #isClosed = false;

  /** Throws CONFIG_INVALID. */
  constructor(options: SteeringOptions = {}) {
    requireKnown("the breakpoints", options, OPTIONS);
    const { maxHeld = 32, capture, schemaOf = () => undefined, tell = () => {} } = options;
    const clock: Clock = options.clock ?? systemClock;
    this.breakpoints = new Breakpoints(options);
    this.maxHeld = requireInteger("maxHeld", maxHeld, 1, 10_000);
    this.#process = options.process === undefined ? "" : `-${options.process}`;
    this.#held = new HeldRuns({ maxHeld, clock, ended: (held, how) => this.#tellEnd(held, how) });
    this.#capture = capture ?? (() => ({ kind: "off" }));
    this.#schemaOf = schemaOf;
    this.#hit = options.hit ?? (() => {});
    this.#timeoutMsOf = options.timeoutMsOf ?? (() => undefined);
    this.#tell = tell;
    this.#wallClock = options.wallClock ?? Date.now;
  }

  readonly mounted = (circuit: WatchedCircuit): void => this.breakpoints.mounted(circuit);

  /** Undefined while nothing is armed and no run is stepped: which calls there are is looked at when a run begins. */
  get beforeNode(): Recorder["beforeNode"] {
    return this.breakpoints.isArmed || this.#held.isStepping ? this.#before : undefined;
  }

  readonly #before = (run: TracedRun, node: string, input: unknown): unknown => {
    const here = this.breakpoints.at(run, node);
    const stepMs = this.#held.steppedMs(run);
    if (here === undefined && stepMs === undefined) return input;
    const met = (here ?? []).filter((breakpoint) => breakpoint.matches(input));
    for (const breakpoint of met)
      if (breakpoint.fields.mode === "snapshot") this.#keep(breakpoint, run, input);
    const holding = met.find(({ fields }) => fields.mode === "hold");
    const holdMs = holding?.holdMs ?? stepMs;
    return holdMs === undefined ? input : this.#hold(run, node, input, holdMs, holding);
  };

  readonly ended = (run: TracedRun): void => {
    if (this.#held.size > 0 || this.#held.isStepping) this.#held.endRun(run);
  };

  /** Whether a run is held somewhere. */
  readonly holds = (run: TracedRun): boolean => this.#held.holds(run);

  /** The runs that are held, the longest held first. */
  paused(): readonly PausedRun[] {
    return this.#held.list().map(({ shown }) => shown);
  }

  /** The run of a hold. */
  runOf(id: string): string | undefined {
    return this.#held.get(id)?.shown.run_id;
  }

  resume(id: string, release: Release = {}): ReleasedRun | Refused {
    return this.#release(id, "resume", release);
  }

  /** Resumes a run up to its next node and holds it there for the same time, regardless of breakpoints. */
  step(id: string, release: Release = {}): ReleasedRun | Refused {
    return this.#release(id, "step", release);
  }

  /** Ends the run as RUN_ABORTED: its completed steps are compensated, and its request gets a 503. */
  abort(id: string): ReleasedRun | Refused {
    return this.#release(id, "abort", {});
  }

  /** Removes a breakpoint and resumes the runs it holds. */
  remove(id: string): Refused | undefined {
    const refused = this.breakpoints.remove(id);
    this.#held.endWhere("resume", ({ shown }) => shown.breakpoint_id === id);
    return refused;
  }

  /** Takes over the breakpoints of another process, and resumes runs held by breakpoints that are gone. */
  adopt(state: readonly ToldBreakpoint[]): void {
    if (this.#isClosed) return;
    this.breakpoints.adopt(state);
    const there = new Set<string | null>([null, ...state.map(({ id }) => id)]);
    this.#held.endWhere("resume", ({ shown }) => !there.has(shown.breakpoint_id));
  }

  /** Whether a run is held under that id. */
  has(id: string): boolean {
    return this.#held.get(id) !== undefined;
  }

  /** True after `close`: its breakpoints are removed, and it sets none. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Called when the server stops: resumes all runs and holds no further ones. */
  close(): void {
    this.#isClosed = true;
    this.breakpoints.close();
    this.#held.endAll();
  }

  #keep(breakpoint: Breakpoint, run: TracedRun, input: unknown): void {
    const place = { circuit: run.circuit.name, node: breakpoint.fields.node_id };
    const schema = this.#schemaOf(place.circuit, place.node);
    this.breakpoints.keep(breakpoint, run, this.#capture(input, schema, place, run));
    this.breakpoints.hit(breakpoint);
    this.#hit(breakpoint, run);
  }

  #hold(run: TracedRun, node: string, input: unknown, holdMs: number, by: Breakpoint | undefined): unknown {
    if (this.#isClosed) return input;
    // A pending input cannot be held: a promise resolved with it would adopt its value.
    if (isPending(input) || !this.#held.hasRoomFor(run)) {
      if (by !== undefined) this.breakpoints.letThrough(by);
      return input;
    }
    const shown = this.#shown(run, node, input, holdMs, by);
    const released = this.#held.hold({ run, node, input, holdMs, shown });
    if (by !== undefined) {
      this.breakpoints.hit(by);
      this.#hit(by, run);
    }
    this.#tell({ kind: "node_paused", paused: shown });
    return released;
  }

  #shown(
    run: TracedRun,
    node: string,
    input: unknown,
    holdMs: number,
    by: Breakpoint | undefined,
  ): PausedRun {
    const circuit = run.circuit.name;
    const schema = this.#schemaOf(circuit, node);
    const since = this.#wallClock();
    const { request } = run;
    this.#holds += 1;
    return {
      id: `hold-${this.#holds}${this.#process}`,
      run_id: run.runId,
      circuit,
      node_id: node,
      label: this.breakpoints.labelOf(node),
      breakpoint_id: by?.fields.id ?? null,
      since,
      until: Math.min(since + holdMs, this.#endOf(run)),
      input: this.#capture(input, schema, { circuit, node }, run),
      input_schema: schema ?? null,
      request: request ? requestSummary(request) : null,
    };
  }

  /** The deadline of a run; its time limit continues while it is held. */
  #endOf({ circuit, request, timeline }: TracedRun): number {
    const timeoutMs = request && this.#timeoutMsOf(circuit.name, request);
    return timeoutMs === undefined ? Number.POSITIVE_INFINITY : timeline.started_at + timeoutMs;
  }

  #release(id: string, how: "resume" | "step" | "abort", release: Release): ReleasedRun | Refused {
    const held = this.#held.get(id);
    if (held === undefined)
      return inspectorFault("PAUSED_RUN_UNKNOWN", {
        detail: `No run is held as '${id}'; it may have gone on`,
      });
    const edit = Object.hasOwn(release, "input") ? this.#edit(held, release.input) : undefined;
    if (isFault(edit)) return edit;
    const held_ms = this.#held.end(id, how, edit) ?? 0;
    const { run_id, circuit, node_id } = held.shown;
    return { id, run_id, circuit, node_id, how, held_ms };
  }

  #edit(held: HeldRun, input: unknown): { readonly edited: unknown } | Refused {
    try {
      const edited = this.#edited(held, input);
      const errors = this.#errorsOf(held, edited);
      return errors.length > 0 ? inspectorFault("EDIT_INVALID", { errors }) : { edited };
    } catch (error) {
      if (!(error instanceof UneditableError)) throw error;
      return inspectorFault("EDIT_INVALID", { detail: error.message });
    }
  }

  #edited({ input, shown }: HeldRun, edit: unknown): unknown {
    return shown.input.kind === "full" ? editedInput(edit, shown.input.value, input) : edit;
  }

  /** What is wrong with an edited input. */
  #errorsOf({ run, node }: HeldRun, edited: unknown): readonly SchemaError[] {
    const schema = this.#schemaOf(run.circuit.name, node);
    if (schema === undefined) return [];
    // No code is generated for a check that runs once.
    const { check, errors } = compileSchema(schema, {
      owner: `Node '${node}'`,
      origin: "program",
      generate: false,
    });
    return check(edited) ? [] : errors(edited);
  }

  #tellEnd({ shown }: HeldRun, how: Ending): void {
    this.#tell({ kind: "node_resumed", id: shown.id, run_id: shown.run_id, how });
  }
}

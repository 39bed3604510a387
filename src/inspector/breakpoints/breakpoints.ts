import type { Fault } from "#core/bus/outcome.js";
import { type Clock, systemClock } from "#core/clock.js";
import type { TracedRun, WatchedCircuit } from "#core/timeline/recorder.js";
import { requireInteger } from "#http/refusal/option-checks.js";
import type { BreakpointChange, NewBreakpoint, Breakpoint as ShownBreakpoint } from "../api/breakpoints.js";
import { type InspectorFault, inspectorFault } from "../api/fault.js";
import type { Payload } from "../api/traces.js";
import { Breakpoint, type ToldBreakpoint } from "./breakpoint.js";
import type { BreakpointEvent } from "./breakpoint-event.js";
import { ConditionError } from "./condition.js";
import { enclosingNodes } from "./enclosing-nodes.js";

export interface BreakpointsOptions {
  /** Default 1000. */
  readonly maxBreakpoints?: number;
  /** Traces every run of a circuit until the returned function is called: other runs pass breakpoints by. */
  readonly watchAll?: (circuit: string) => () => void;
  readonly tell?: (event: BreakpointEvent) => void;
  readonly clock?: Clock;
  /** Milliseconds since 1970. */
  readonly wallClock?: () => number;
}

/** Below the default `routeTimeoutMs`: the run resumes before it would be answered 504. */
const DEFAULT_HOLD_MS = 20_000;
const DEFAULT_MAX_HITS = { hold: 1, snapshot: 100 } as const;
const ID = "bp-";
/** Hits within this time are reported in one event. */
const TELL_AFTER_MS = 250;

/** Called for each hit in this process, and for each matching run that is not held. */
export type CountListener = (id: string, what: "hits" | "let_through") => void;

type Armed = ReadonlyMap<string, readonly Breakpoint[]>;
type Refused = Fault<InspectorFault>;

/** The breakpoints that are set, by circuit and node. */
export class Breakpoints {
  readonly maxBreakpoints: number;
  readonly #watchAll: (circuit: string) => () => void;
  readonly #tell: (event: BreakpointEvent) => void;
  readonly #clock: Clock;
  readonly #wallClock: () => number;
  #made = 0;
  #breakpoints: Map<string, Breakpoint> = new Map();
  /** The mounted nodes. */
  readonly #nodes = new Map<string, { readonly circuit: string; readonly label: string }>();
  /** The enabled ones, by circuit and node. */
  #armed: ReadonlyMap<string, Armed> = new Map();
  /** Ends the watching of a circuit. */
  readonly #watched = new Map<string, () => void>();
  /** Hits not reported yet. */
  readonly #hit = new Set<Breakpoint>();
  #counted: CountListener | undefined;

  constructor(options: BreakpointsOptions = {}) {
    const { maxBreakpoints = 1000, watchAll = () => () => {}, tell = () => {} } = options;
    this.maxBreakpoints = requireInteger("maxBreakpoints", maxBreakpoints, 1, 100_000);
    this.#watchAll = watchAll;
    this.#tell = tell;
    this.#clock = options.clock ?? systemClock;
    this.#wallClock = options.wallClock ?? Date.now;
  }

  mounted({ name, nodes }: WatchedCircuit): void {
    for (const { id, label } of [...nodes, ...enclosingNodes(nodes)])
      this.#nodes.set(id, { circuit: name, label });
  }

  labelOf(node: string): string {
    return this.#nodes.get(node)?.label ?? node;
  }

  get isArmed(): boolean {
    return this.#armed.size > 0;
  }

  at(run: TracedRun, node: string): readonly Breakpoint[] | undefined {
    return this.#armed.get(run.circuit.name)?.get(node);
  }

  list(): readonly ShownBreakpoint[] {
    return [...this.#breakpoints.values()].map((breakpoint) => breakpoint.shown());
  }

  get(id: string): ShownBreakpoint | undefined {
    return this.#breakpoints.get(id)?.shown();
  }

  set({ node_id, condition, mode = "hold", hold_ms, max_hits }: NewBreakpoint): ShownBreakpoint | Refused {
    const node = this.#nodes.get(node_id);
    if (node === undefined)
      return inspectorFault("NODE_UNKNOWN", { detail: `No circuit has a node '${node_id}'` });
    if (this.#breakpoints.size >= this.maxBreakpoints)
      return inspectorFault("BREAKPOINTS_FULL", { detail: `There are ${this.maxBreakpoints}: remove one` });
    return inspected(() => {
      const id = `${ID}${this.#made + 1}`;
      const breakpoint = new Breakpoint({
        id,
        ...node,
        node_id,
        condition: condition ?? null,
        mode,
        hold_ms: hold_ms ?? DEFAULT_HOLD_MS,
        max_hits: max_hits ?? DEFAULT_MAX_HITS[mode],
        created_at: this.#wallClock(),
      });
      this.#made += 1;
      this.#breakpoints.set(id, breakpoint);
      this.#arm();
      return this.#told(breakpoint, "set");
    });
  }

  change(id: string, change: BreakpointChange): ShownBreakpoint | Refused {
    const breakpoint = this.#breakpoints.get(id);
    if (breakpoint === undefined) return unknown(id);
    return inspected(() => {
      const { enabled, condition, hold_ms, max_hits } = change;
      // First: a condition that does not parse changes nothing.
      if (condition !== undefined) breakpoint.setCondition(condition);
      if (hold_ms !== undefined) breakpoint.holdMs = hold_ms;
      if (max_hits !== undefined) breakpoint.setMaxHits(max_hits);
      if (enabled === true) breakpoint.enable();
      if (enabled === false) breakpoint.enabled = false;
      this.#arm();
      return this.#told(breakpoint, "changed");
    });
  }

  remove(id: string): Refused | undefined {
    const breakpoint = this.#breakpoints.get(id);
    if (breakpoint === undefined) return unknown(id);
    this.#breakpoints.delete(id);
    this.#hit.delete(breakpoint);
    this.#arm();
    this.#told(breakpoint, "removed");
    return undefined;
  }

  /** A matching run is held, or its input is kept. */
  hit(breakpoint: Breakpoint): void {
    if (breakpoint.hit()) this.#arm();
    this.#tellSoon(breakpoint);
    this.#counted?.(breakpoint.fields.id, "hits");
  }

  keep(breakpoint: Breakpoint, run: TracedRun, input: Payload): void {
    breakpoint.keep(run, this.#wallClock(), input);
  }

  /** A matching run continues because the most runs are held. */
  letThrough(breakpoint: Breakpoint): void {
    breakpoint.letThrough += 1;
    this.#tellSoon(breakpoint);
    this.#counted?.(breakpoint.fields.id, "let_through");
  }

  /** Sets the one listener, which must not throw. */
  onCount(listener: CountListener): void {
    this.#counted = listener;
  }

  /** Counts hits of another process. Returns true if they were the last. */
  countElsewhere(id: string, hits: number, letThrough: number): boolean {
    const breakpoint = this.#breakpoints.get(id);
    if (breakpoint === undefined) return false;
    const isLast = breakpoint.hitElsewhere(hits, letThrough);
    if (isLast) this.#arm();
    this.#tellSoon(breakpoint);
    return isLast;
  }

  /** For other processes: without snapshots. */
  state(): readonly ToldBreakpoint[] {
    return [...this.#breakpoints.values()].map((breakpoint) => breakpoint.told());
  }

  /**
   * Takes over the breakpoints of another process, which reports them to the feed. Throws
   * ConditionError, and changes nothing then.
   */
  adopt(state: readonly ToldBreakpoint[]): void {
    const before = this.#breakpoints;
    const after = new Map<string, Breakpoint>();
    const adoptions = state.map((told) => {
      const known = before.get(told.id);
      const breakpoint = known?.is(told) ? known : Breakpoint.of(told);
      after.set(told.id, breakpoint);
      return breakpoint.adopting(told);
    });
    for (const adopt of adoptions) adopt();
    this.#breakpoints = after;
    for (const id of after.keys()) this.#made = Math.max(this.#made, Number(id.slice(ID.length)));
    for (const [id, breakpoint] of before) if (after.get(id) !== breakpoint) this.#hit.delete(breakpoint);
    this.#arm();
  }

  close(): void {
    this.#breakpoints.clear();
    this.#hit.clear();
    this.#arm();
  }

  /** Builds the index that runs look up. */
  #arm(): void {
    const armed = new Map<string, Map<string, Breakpoint[]>>();
    for (const breakpoint of this.#breakpoints.values()) {
      if (!breakpoint.enabled) continue;
      const { circuit, node_id } = breakpoint.fields;
      const nodes = armed.get(circuit) ?? new Map<string, Breakpoint[]>();
      armed.set(circuit, nodes);
      nodes.set(node_id, [...(nodes.get(node_id) ?? []), breakpoint]);
    }
    this.#armed = armed;
    for (const circuit of armed.keys())
      if (!this.#watched.has(circuit)) this.#watched.set(circuit, this.#watchAll(circuit));
    for (const [circuit, release] of [...this.#watched]) {
      if (armed.has(circuit)) continue;
      this.#watched.delete(circuit);
      release();
    }
  }

  #told(breakpoint: Breakpoint, change: "set" | "changed" | "removed"): ShownBreakpoint {
    const shown = breakpoint.shown();
    // Without snapshots: ten inputs each time would be most of the feed.
    this.#tell({ kind: "breakpoint", breakpoint: { ...shown, snapshots: [] }, change });
    return shown;
  }

  #tellSoon(breakpoint: Breakpoint): void {
    if (this.#hit.size === 0)
      this.#clock.after(TELL_AFTER_MS, () => {
        const hit = [...this.#hit];
        this.#hit.clear();
        for (const each of hit) this.#told(each, "changed");
      });
    this.#hit.add(breakpoint);
  }
}

const unknown = (id: string): Refused =>
  inspectorFault("BREAKPOINT_UNKNOWN", { detail: `There is no breakpoint '${id}'` });

/** A ConditionError becomes CONDITION_INVALID. */
function inspected<T>(make: () => T): T | Refused {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof ConditionError)) throw error;
    const { message, position, expected } = error;
    const errors = [{ pointer: "/condition", keyword: "condition", expected }];
    return inspectorFault("CONDITION_INVALID", { detail: message, errors, extensions: { position } });
  }
}

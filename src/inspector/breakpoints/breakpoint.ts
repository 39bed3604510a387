import type { TracedRun } from "#core/recorder.js";
import type { Breakpoint as ShownBreakpoint } from "../api/breakpoints.js";
import type { Payload } from "../api/traces.js";
import { compileCondition, type Predicate } from "./compile-condition.js";
import { parseCondition } from "./parse-condition.js";

type Snapshot = ShownBreakpoint["snapshots"][number];

/** Snapshots that a breakpoint keeps. */
const MAX_SNAPSHOTS = 10;

export type BreakpointFields = Pick<
  ShownBreakpoint,
  "id" | "circuit" | "node_id" | "label" | "condition" | "mode" | "hold_ms" | "max_hits" | "created_at"
>;

/** One breakpoint: what it waits for, and how often that came. */
export class Breakpoint {
  readonly fields: BreakpointFields;
  condition: string | null = null;
  holdMs: number;
  maxHits: number;
  hits = 0;
  letThrough = 0;
  enabled = true;
  #predicate: Predicate | undefined;
  #snapshots: readonly Snapshot[] = [];

  /** Throws ConditionError. */
  constructor(fields: BreakpointFields) {
    this.fields = fields;
    this.holdMs = fields.hold_ms;
    this.maxHits = fields.max_hits;
    this.setCondition(fields.condition);
  }

  /** Throws ConditionError, and is as it was. */
  setCondition(condition: string | null): void {
    this.#predicate = condition === null ? undefined : compileCondition(parseCondition(condition));
    this.condition = condition;
  }

  matches(input: unknown): boolean {
    return this.#predicate === undefined || this.#predicate(input);
  }

  /** Answers whether it was the last one. */
  hit(): boolean {
    this.hits += 1;
    if (this.hits >= this.maxHits) this.enabled = false;
    return !this.enabled;
  }

  keep(run: TracedRun, at: number, input: Payload): void {
    this.#snapshots = [{ run_id: run.runId, at, input }, ...this.#snapshots.slice(0, MAX_SNAPSHOTS - 1)];
  }

  /** Of hits in another process. Answers whether these were the last. */
  hitElsewhere(hits: number, letThrough: number): boolean {
    this.letThrough += letThrough;
    if (hits === 0) return false;
    this.hits += hits;
    if (!this.enabled || this.hits < this.maxHits) return false;
    this.enabled = false;
    return true;
  }

  /** Whether another process means this one by what it says. */
  is({ id, node_id, mode, created_at }: ShownBreakpoint): boolean {
    const own = this.fields;
    return own.id === id && own.node_id === node_id && own.mode === mode && own.created_at === created_at;
  }

  /** Is from here on as another process has it; what this one keeps stays. */
  adopt({ condition, hold_ms, max_hits, hits, let_through, enabled }: ShownBreakpoint): void {
    if (condition !== this.condition) this.setCondition(condition);
    this.holdMs = hold_ms;
    this.maxHits = max_hits;
    this.hits = hits;
    this.letThrough = let_through;
    this.enabled = enabled;
  }

  /** Waits for `maxHits` again where it had as many. */
  enable(): void {
    if (this.hits >= this.maxHits) this.hits = 0;
    this.enabled = true;
  }

  shown(): ShownBreakpoint {
    const { fields, condition, holdMs, maxHits, hits, letThrough, enabled } = this;
    return {
      ...fields,
      condition,
      hold_ms: holdMs,
      max_hits: maxHits,
      hits,
      let_through: letThrough,
      enabled,
      snapshots: [...this.#snapshots],
    };
  }
}

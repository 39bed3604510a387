import type { TracedRun } from "#core/timeline/recorder.js";
import type { Breakpoint as ShownBreakpoint } from "../api/breakpoints.js";
import type { Payload } from "../api/traces.js";
import { compileCondition, type Predicate } from "./compile-condition.js";
import { parseCondition } from "./parse-condition.js";

type Snapshot = ShownBreakpoint["snapshots"][number];

const MAX_SNAPSHOTS = 10;

export type BreakpointFields = Pick<
  ShownBreakpoint,
  "id" | "circuit" | "node_id" | "label" | "condition" | "mode" | "hold_ms" | "max_hits" | "created_at"
>;

/** The serialised form of a breakpoint between processes. */
export interface ToldBreakpoint extends ShownBreakpoint {
  /** Raised when its hits are counted anew: hits of an older generation do not count. */
  readonly generation: number;
}

/** One breakpoint, with its hits. */
export class Breakpoint {
  readonly fields: BreakpointFields;
  condition: string | null = null;
  holdMs: number;
  hits = 0;
  letThrough = 0;
  enabled = true;
  #maxHits: number;
  #generation = 0;
  #predicate: Predicate | undefined;
  #snapshots: readonly Snapshot[] = [];

  /** Throws ConditionError. */
  constructor(fields: BreakpointFields) {
    this.fields = fields;
    this.holdMs = fields.hold_ms;
    this.#maxHits = fields.max_hits;
    this.setCondition(fields.condition);
  }

  /** From another process. Its state follows by `adopting`. Throws ConditionError. */
  static of(told: ToldBreakpoint): Breakpoint {
    const { id, circuit, node_id, label, condition, mode, hold_ms, max_hits, created_at } = told;
    return new Breakpoint({ id, circuit, node_id, label, condition, mode, hold_ms, max_hits, created_at });
  }

  /** Throws ConditionError, and changes nothing then. */
  setCondition(condition: string | null): void {
    this.#predicate = predicateOf(condition);
    this.condition = condition;
  }

  setMaxHits(maxHits: number): void {
    if (maxHits !== this.#maxHits) this.#generation += 1;
    this.#maxHits = maxHits;
  }

  matches(input: unknown): boolean {
    return this.#predicate === undefined || this.#predicate(input);
  }

  /** Returns true if it was the last one. */
  hit(): boolean {
    this.hits += 1;
    if (this.hits >= this.#maxHits) this.enabled = false;
    return !this.enabled;
  }

  keep(run: TracedRun, at: number, input: Payload): void {
    this.#snapshots = [{ run_id: run.runId, at, input }, ...this.#snapshots.slice(0, MAX_SNAPSHOTS - 1)];
  }

  /** Counts hits of another process. Returns true if these were the last. */
  hitElsewhere(hits: number, letThrough: number): boolean {
    this.letThrough += letThrough;
    if (hits === 0) return false;
    this.hits += hits;
    if (!this.enabled || this.hits < this.#maxHits) return false;
    this.enabled = false;
    return true;
  }

  /** Whether this is the same breakpoint as that of another process. */
  is({ id, node_id, mode, created_at }: ShownBreakpoint): boolean {
    const own = this.fields;
    return own.id === id && own.node_id === node_id && own.mode === mode && own.created_at === created_at;
  }

  /**
   * Returns a function that takes over the state of another process, and does not throw; snapshots
   * stay. Hits here that the other process did not know of stay counted, so that a breakpoint
   * that is used up is not armed again. Throws ConditionError.
   */
  adopting(told: ToldBreakpoint): () => void {
    const { condition } = told;
    const predicate = condition === this.condition ? this.#predicate : predicateOf(condition);
    return () => {
      const isSame = told.generation === this.#generation;
      this.#predicate = predicate;
      this.condition = condition;
      this.holdMs = told.hold_ms;
      this.#maxHits = told.max_hits;
      this.#generation = told.generation;
      this.hits = isSame ? Math.max(told.hits, this.hits) : told.hits;
      this.letThrough = told.let_through;
      this.enabled = told.enabled && (this.enabled || !isSame);
    };
  }

  /** Counts its hits anew if it had `max_hits`. */
  enable(): void {
    const isOver = this.hits >= this.#maxHits;
    if (!this.enabled || isOver) this.#generation += 1;
    if (isOver) this.hits = 0;
    this.enabled = true;
  }

  told(): ToldBreakpoint {
    return { ...this.shown(), snapshots: [], generation: this.#generation };
  }

  shown(): ShownBreakpoint {
    const { fields, condition, holdMs, hits, letThrough, enabled } = this;
    return {
      ...fields,
      condition,
      hold_ms: holdMs,
      max_hits: this.#maxHits,
      hits,
      let_through: letThrough,
      enabled,
      snapshots: [...this.#snapshots],
    };
  }
}

const predicateOf = (condition: string | null): Predicate | undefined =>
  condition === null ? undefined : compileCondition(parseCondition(condition));

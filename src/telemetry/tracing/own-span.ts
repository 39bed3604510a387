import { isFault } from "#core/bus/outcome.js";
import type { NodeOutcome } from "#core/timeline/timeline.js";

/** The description of a run's span. */
export interface About {
  readonly kind: "node" | "try" | "branch" | "job";
  readonly name: string;
  /** Id of the node; for a branch, of the node that chose it. */
  readonly id: string;
  readonly circuit: string;
  readonly attempt?: number;
  readonly branch?: string;
}

/** A span to be made later. Times are microseconds since the run began. */
export class OwnSpan {
  readonly about: About;
  /** The enclosing span; undefined: the run's own. */
  parent: OwnSpan | undefined;
  readonly line: Line;
  /** The line of the nodes inside. */
  readonly inner: Line = new Line(this);
  readonly startedUs: number;
  /** Undefined until the node is left. */
  endedUs: number | undefined;
  outcome: NodeOutcome | undefined;
  /** Code of the fault, if it has one. */
  code: string | undefined;
  /** Undefined until requested. */
  spanId: string | undefined;
  /** The current try of a node that is retried. */
  tries: OwnSpan | undefined;
  readonly retries: { readonly at_us: number; readonly attempt: number; readonly delayMs: number }[] = [];

  constructor(about: About, line: Line, startedUs: number) {
    this.about = about;
    this.line = line;
    this.parent = line.placeOf(about);
    this.startedUs = startedUs;
  }

  isWithin(other: OwnSpan): boolean {
    for (let at = this.parent; at !== undefined; at = at.parent) if (at === other) return true;
    return false;
  }

  leave(outcome: NodeOutcome, answer: unknown, at_us: number): boolean {
    return this.end(outcome, isFault(answer) ? answer.error : undefined, at_us);
  }

  /**
   * Returns false if it had ended before. Without an outcome, the span ends although its node is
   * still running.
   */
  end(outcome: NodeOutcome | undefined, error: unknown, at_us: number): boolean {
    if (this.endedUs !== undefined) return false;
    this.outcome = outcome;
    this.code = codeOf(error);
    this.endedUs = at_us;
    // A node inside a branch also ends the branch, at the same time.
    for (let { parent } = this; parent?.about.kind === "branch"; parent = parent.parent)
      parent.endedUs = at_us;
    return true;
  }
}

/** Consecutive nodes and the branches taken between them. */
export class Line {
  readonly owner: OwnSpan | undefined;
  readonly #branches: { readonly own: OwnSpan; readonly path: string }[] = [];

  constructor(owner: OwnSpan | undefined) {
    this.owner = owner;
  }

  /** Enters a branch, which encloses the nodes whose id begins with the path. */
  take(own: OwnSpan, path: string): void {
    own.endedUs = own.startedUs;
    this.#branches.push({ own, path });
  }

  /** The enclosing span of a node that begins now. */
  placeOf({ kind, id }: About): OwnSpan | undefined {
    if (kind === "try") return this.owner;
    for (let last = this.#branches.at(-1); last !== undefined; last = this.#branches.at(-1)) {
      if (id.startsWith(`${last.path}/`) || id.startsWith(`${last.path}:`)) return last.own;
      this.#branches.pop();
    }
    return this.owner?.tries ?? this.owner;
  }
}

// A code that is not a constant could contain a secret.
const CODE = /^[\w.:-]{1,64}$/;

/** The error's `code`, or else its `kind`. A fault's error may be any value. */
function codeOf(error: unknown): string | undefined {
  if (typeof error === "string") return CODE.test(error) ? error : undefined;
  if (typeof error !== "object" || error === null) return undefined;
  try {
    const { code, kind } = error as { readonly code?: unknown; readonly kind?: unknown };
    const named = typeof code === "string" ? code : kind;
    return typeof named === "string" && CODE.test(named) ? named : undefined;
  } catch {
    return undefined;
  }
}

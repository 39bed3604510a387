import { isFault } from "#core/bus/outcome.js";
import type { NodeOutcome } from "#core/timeline/timeline.js";

/** What a span of a run says of itself. */
export interface About {
  readonly kind: "node" | "try" | "branch" | "job";
  readonly name: string;
  /** The node's; of a branch that of the node that has chosen it. */
  readonly id: string;
  readonly circuit: string;
  readonly attempt?: number;
  readonly branch?: string;
}

/** A span that is not made yet. Times are microseconds since the run began. */
export class OwnSpan {
  readonly about: About;
  /** What it stands in; undefined: straight in the whole. */
  parent: OwnSpan | undefined;
  readonly line: Line;
  /** Where what it runs stands. */
  readonly inner: Line = new Line(this);
  readonly startedUs: number;
  /** Undefined while it is not left. */
  endedUs: number | undefined;
  outcome: NodeOutcome | undefined;
  /** Of a fault that has one. */
  code: string | undefined;
  /** Undefined where nobody has asked for it. */
  spanId: string | undefined;
  /** Of a node that was tried again, the try that goes on. */
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

  /** Whether it had not ended before. Without an outcome: it goes on, and nobody waits for it. */
  end(outcome: NodeOutcome | undefined, error: unknown, at_us: number): boolean {
    if (this.endedUs !== undefined) return false;
    this.outcome = outcome;
    this.code = codeOf(error);
    this.endedUs = at_us;
    // What stands in a branch ends it, as late as it ends itself.
    for (let { parent } = this; parent?.about.kind === "branch"; parent = parent.parent)
      parent.endedUs = at_us;
    return true;
  }
}

/** Nodes that follow one another, and the branches that were taken there. */
export class Line {
  readonly owner: OwnSpan | undefined;
  readonly #branches: { readonly own: OwnSpan; readonly path: string }[] = [];

  constructor(owner: OwnSpan | undefined) {
    this.owner = owner;
  }

  /** A branch is taken, in which stands what has an id that begins with the path. */
  take(own: OwnSpan, path: string): void {
    own.endedUs = own.startedUs;
    this.#branches.push({ own, path });
  }

  /** What something stands in that begins here now. */
  placeOf({ kind, id }: About): OwnSpan | undefined {
    if (kind === "try") return this.owner;
    for (let last = this.#branches.at(-1); last !== undefined; last = this.#branches.at(-1)) {
      if (id.startsWith(`${last.path}/`) || id.startsWith(`${last.path}:`)) return last.own;
      this.#branches.pop();
    }
    return this.owner?.tries ?? this.owner;
  }
}

// What is no constant may hold anything.
const CODE = /^[\w.:-]{1,64}$/;

/** What an error calls itself: its `code`, or its `kind`. Anything can be a fault's error. */
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

import type { NodeSpan } from "#core/recorder.js";
import type { RunState } from "./run-state.js";

/** A node that was entered and not yet left. */
export interface Visit {
  readonly node: string;
  readonly input: unknown;
  readonly state: RunState;
  readonly at_us: number;
  /** Whether it is a layer: what fails inside it has failed there. */
  readonly isLayer: boolean;
  /** Where its Timeline says that it was entered. */
  readonly entered: number;
  /** Where spans are made. */
  readonly span: NodeSpan | undefined;
}

/** The innermost of the visits that are open which what a state enters stands in; undefined for none. */
export function visitAround(open: readonly Visit[], state: RunState): Visit | undefined {
  for (let at: RunState | undefined = state; at !== undefined; at = at.around) {
    const visit = open.findLast((each) => each.state === at);
    if (visit !== undefined) return visit;
  }
  return undefined;
}

/** Takes it out of the open ones. Answers whether it was one of them. */
export function closeVisit(open: Visit[], visit: Visit): boolean {
  // Nearly always.
  if (open.length > 0 && open[open.length - 1] === visit) {
    open.pop();
    return true;
  }
  const at = open.lastIndexOf(visit);
  if (at >= 0) open.splice(at, 1);
  return at >= 0;
}

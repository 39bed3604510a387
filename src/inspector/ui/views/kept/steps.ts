// The steps of a stored run, from its log; those that follow, from the Schematic.

import type { Schematic } from "#core/flow/schematic.js";
import { RUN_STATES } from "#core/ports/run-state.js";
import type { KeptRun } from "../../../api/runs.js";

export interface Step {
  readonly node: string;
  readonly kind: "done" | "now" | "failed" | "next";
  /** When the run reached it; undefined for a following one. */
  readonly at?: number;
  /** Processes that began it. */
  readonly attempts: number;
}

export const isOver = ({ state }: Pick<KeptRun, "state">): boolean => RUN_STATES[state].isOver;

/** True if a living process has the run. */
export const isAtWork = ({ state, owner }: Pick<KeptRun, "state" | "owner">): boolean =>
  state === "running" && owner?.is_alive === true;

/** The state in one word. A run whose host is gone waits for another host. */
export const shownState = ({ state, owner, cancel }: Pick<KeptRun, "state" | "owner" | "cancel">): string => {
  if (state !== "running") return state;
  return cancel !== null ? "cancelling" : owner?.is_alive === false ? "interrupted" : state;
};

export function stepsOf(run: KeptRun, schematic: Schematic | undefined): readonly Step[] {
  const reached: (Step & { readonly at: number })[] = [];
  for (const { kind, at, node, woken } of run.entries) {
    const last = reached.at(-1);
    if (node === null) continue;
    // A wait is one attempt, in two processes.
    const isAgain = kind === "resumed" && !woken;
    if ((kind === "resumed" || kind === "waiting") && last?.node === node)
      reached[reached.length - 1] = { ...last, attempts: last.attempts + (isAgain ? 1 : 0) };
    else reached.push({ node, at, kind: "done", attempts: 1 });
  }
  const last = reached.at(-1);
  const hasFailed = run.fault !== null;
  const kind = hasFailed ? "failed" : run.state === "completed" ? "done" : "now";
  if (last !== undefined) reached[reached.length - 1] = { ...last, kind };
  const next = kind === "now" && last && schematic ? following(schematic, last.node) : [];
  return [...reached, ...next.map((node) => ({ node, kind: "next", attempts: 0 }) as const)];
}

/** By the ordinary way: a branch may be taken instead. */
function following({ nodes, edges }: Schematic, from: string): readonly string[] {
  const found: string[] = [];
  for (let at = from; ; ) {
    const way = edges.find(({ from, kind }) => from === at && kind === "Linear");
    const to = nodes.find(({ id }) => id === way?.to);
    if (to === undefined || to.kind === "Egress" || found.includes(to.id)) break;
    found.push(to.id);
    at = to.id;
  }
  if (found.length > 0) return found;
  return nodes.flatMap(({ schematic }) => (schematic ? following(schematic, from) : []));
}

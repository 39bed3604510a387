// A node as segments of a bar: its duration working, waiting for a retry, held by a breakpoint; and
// beside it what its run waited for.

import type { TraceNode } from "../../../api/traces.js";

export interface Piece {
  readonly kind: "work" | "failed" | "wait" | "held" | "checkpoint" | "lock";
  readonly fromUs: number;
  readonly toUs: number;
}

export function piecesOf(node: TraceNode): readonly Piece[] {
  const end = node.entered_us + node.duration_us;
  const waits = (node.waits ?? []).map(
    ({ reason, from_us, waited_us }): Piece => ({
      kind: reason,
      fromUs: from_us,
      toUs: from_us + waited_us,
    }),
  );
  const pieces: Piece[] = [];
  let at = node.entered_us;
  const add = (kind: Piece["kind"], to: number) => {
    const until = Math.min(Math.max(to, at), end);
    if (until > at) pieces.push({ kind, fromUs: at, toUs: until });
    at = until;
  };
  // A breakpoint holds the run before the first try.
  add("held", at + node.held_us);
  for (const { at_us, delay_ms } of node.retries) {
    add("failed", at_us);
    add("wait", at_us + delay_ms * 1000);
  }
  add(node.outcome === "fault" ? "failed" : "work", end);
  return [...waits, ...(pieces.length > 0 ? pieces : [{ kind: "work", fromUs: at, toUs: at } as const])];
}

/** Marks of the time axis: about seven round values, none so late that its label is cut off. */
export function ticksOf(totalUs: number): readonly number[] {
  if (totalUs <= 0) return [0];
  const rough = totalUs / 6;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, ([1, 2, 5, 10].find((n) => n * power >= rough) as number) * power);
  const ticks: number[] = [];
  for (let at = 0; at <= totalUs * 0.95; at += step) ticks.push(at);
  return ticks;
}

// The rows of a waterfall, one for each time that a node was entered, from the events of a Timeline.

import type { NodeOutcome, TimelineEvent } from "#core/timeline/timeline.js";

type Waited = Extract<TimelineEvent, { readonly kind: "waited" }>;

export interface Visit {
  readonly node: string;
  /** Which visit of this node it is, from 0: payloads find their visit by it. */
  readonly turn: number;
  /** Number of nodes around it. */
  readonly depth: number;
  readonly entered_us: number;
  exited_us: number;
  held_us: number;
  outcome: NodeOutcome;
  /** Which exit of this node it is, from 0. */
  exit: number;
  target: string | null;
  readonly retries: { readonly attempt: number; readonly at_us: number; readonly delay_ms: number }[];
  /** Of the run, before it was entered or after it was left. */
  readonly waits: ReturnType<typeof waitOf>[];
}

/** In the order in which they were entered. Nodes that are open at the end were left when the run ended. */
export function visitsOf(events: readonly TimelineEvent[]): readonly Visit[] {
  const visits: Visit[] = [];
  const open: Visit[] = [];
  const turns = counter();
  const exits = counter();
  // A node is held before it is entered, and tells of its branch when it is left.
  const held = new Map<string, number>();
  const last = new Map<string, Visit>();
  let waits: Waited[] = [];
  for (const event of events) {
    const { node } = event;
    switch (event.kind) {
      case "node_paused":
        held.set(node, (held.get(node) ?? 0) + event.held_us);
        break;
      case "node_enter": {
        const held_us = held.get(node) ?? 0;
        held.delete(node);
        const visit: Visit = {
          ...{ node, turn: turns(node), depth: depthIn(open, node), entered_us: event.at_us - held_us },
          ...{ exited_us: event.at_us, held_us, outcome: "aborted", exit: -1, target: null, retries: [] },
          waits: waits.map(waitOf),
        };
        waits = [];
        visits.push(visit);
        open.push(visit);
        last.set(node, visit);
        break;
      }
      case "node_exit": {
        const at = open.findLastIndex((visit) => visit.node === node);
        const [visit] = at < 0 ? [] : open.splice(at, 1);
        const exit = exits(node);
        if (visit !== undefined)
          Object.assign(visit, { exited_us: event.at_us, outcome: event.outcome, exit });
        break;
      }
      case "waited":
        waits.push(event);
        break;
      default:
        tell(last.get(node), event);
    }
  }
  const end = events.at(-1)?.at_us ?? 0;
  for (const visit of open) visit.exited_us = end;
  // No node was entered after these.
  for (const wait of waits) (last.get(wait.node) ?? visits.at(-1))?.waits.push(waitOf(wait));
  return visits;
}

const waitOf = ({ reason, at_us, waited_us }: Waited) => ({ reason, from_us: at_us - waited_us, waited_us });

const depthIn = (open: readonly Visit[], node: string): number =>
  open.filter((around) => isAround(around.node, node)).length;

/** A layer is around all that follows; other ids begin with those around them (runtime/node-id.ts). */
export const isAround = (outer: string, node: string): boolean =>
  outer.includes(":layer/") || node.startsWith(`${outer}/`) || node.startsWith(`${outer}:`);

function tell(visit: Visit | undefined, event: TimelineEvent): void {
  if (visit === undefined) return;
  switch (event.kind) {
    case "branch_taken":
      visit.target = event.branch;
      break;
    case "jump_taken":
      visit.target = event.label;
      break;
    case "emitted":
      visit.target ??= event.event;
      break;
    case "node_retry":
      visit.retries.push({ attempt: event.attempt, at_us: event.at_us, delay_ms: event.delay_ms });
      break;
  }
}

function counter(): (name: string) => number {
  const counts = new Map<string, number>();
  return (name) => {
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    return count;
  };
}

/** Where a faulted run failed: the innermost visit of its last fault. */
export function failedVisit(visits: readonly Visit[]): Visit | undefined {
  let failed: Visit | undefined;
  for (const visit of visits) {
    if (visit.outcome !== "fault") continue;
    const isInside = failed !== undefined && isWithin(visit, failed);
    if (failed === undefined || isInside || visit.exited_us > failed.exited_us) failed = visit;
  }
  return failed;
}

const isWithin = (visit: Visit, outer: Visit): boolean =>
  isAround(outer.node, visit.node) &&
  visit.entered_us >= outer.entered_us &&
  visit.exited_us <= outer.exited_us;

// The lane of each vertex. A line of steps keeps its lane from end to end. A branch gets the first
// free lane below. A compensation is placed below all lanes, in the column of its step.

import { grouped, type Ranks } from "./ranks.js";
import type { Link, Vertex } from "./vertices.js";

export interface Lanes {
  readonly lane: ReadonlyMap<string, number>;
  readonly count: number;
  /** Columns of each lane that are occupied by a box or a wire. */
  readonly taken: readonly ReadonlySet<number>[];
}

export function laneAll(vertices: readonly Vertex[], { rank, forward }: Ranks): Lanes {
  const out = grouped(forward);
  const lane = new Map<string, number>();
  const taken: Set<number>[] = [];
  const flow = vertices.filter(({ undoes }) => undoes === undefined);
  const begins = new Set(flow.map(({ id }) => id));
  for (const { to } of forward) begins.delete(to);

  const waiting: { readonly id: string; readonly below: number; readonly from: number }[] = [];
  const place = (id: string, below: number, from: number) => {
    const line = lineFrom(id, out, lane);
    const last = line[line.length - 1] as string;
    const end = Math.max(rankOf(last), lastColumnBefore(last, out, rank));
    const free = firstFree(taken, below, from, end);
    for (const member of line) lane.set(member, free);
    for (let column = from; column <= end; column += 1) (taken[free] as Set<number>).add(column);
    // The latest branch first: it is placed nearest, which reduces crossings.
    for (const member of [...line].reverse())
      for (const { to } of out.get(member) ?? [])
        if (!lane.has(to)) waiting.push({ id: to, below: free + 1, from: rankOf(member) + 1 });
  };
  const rankOf = (id: string) => rank.get(id) ?? 0;

  for (const { id } of [...flow.filter(({ id }) => begins.has(id)), ...flow]) {
    if (lane.has(id)) continue;
    place(id, 0, rankOf(id));
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      if (!lane.has(next.id)) place(next.id, next.below, next.from);
  }
  const below = taken.length;
  for (const { id, undoes } of vertices) {
    if (undoes === undefined) continue;
    const free = firstFree(taken, below, rankOf(id), rankOf(id));
    lane.set(id, free);
    (taken[free] as Set<number>).add(rankOf(id));
  }
  return { lane, count: taken.length, taken };
}

/** The link that continues a line: the straight one if there is one, else the first. */
function mainLink(links: readonly Link[] | undefined): Link | undefined {
  return links?.find(({ kind }) => kind === "Linear") ?? links?.[0];
}

function lineFrom(id: string, out: ReadonlyMap<string, Link[]>, lane: ReadonlyMap<string, number>): string[] {
  const line = [id];
  const seen = new Set(line);
  for (let next = mainLink(out.get(id)); next !== undefined; next = mainLink(out.get(next.to))) {
    if (lane.has(next.to) || seen.has(next.to)) break;
    seen.add(next.to);
    line.push(next.to);
  }
  return line;
}

/** A wire that rejoins another line stays in its own lane until the previous column. */
function lastColumnBefore(
  id: string,
  out: ReadonlyMap<string, Link[]>,
  rank: ReadonlyMap<string, number>,
): number {
  return Math.max(-1, ...(out.get(id) ?? []).map(({ to }) => (rank.get(to) ?? 0) - 1));
}

function firstFree(taken: Set<number>[], below: number, from: number, to: number): number {
  for (let lane = below; ; lane += 1) {
    taken[lane] ??= new Set();
    let isFree = true;
    for (let column = from; column <= to; column += 1) isFree &&= !taken[lane]?.has(column);
    if (isFree) return lane;
  }
}

// The column of each vertex: the length of the longest path to it. Back links are found first,
// depth first in the order of the Schematic, and are ignored.

import type { Graph, Link, Vertex } from "./vertices.js";

export interface Ranks {
  readonly rank: ReadonlyMap<string, number>;
  /** Links from left to right, in the order of the Schematic. */
  readonly forward: readonly Link[];
  /** Jumps, and links that would close a cycle. */
  readonly back: readonly Link[];
}

export function rankAll({ vertices, links }: Graph): Ranks {
  const flow = links.filter(({ kind }) => kind !== "Jump" && kind !== "Compensation");
  const closing = closingLinks(vertices, flow);
  const forward = flow.filter((link) => !closing.has(link));
  const back = links.filter((link) => link.kind === "Jump" || closing.has(link));
  return { rank: longestWays(vertices, forward), forward, back };
}

function closingLinks(vertices: readonly Vertex[], flow: readonly Link[]): Set<Link> {
  const out = grouped(flow);
  const state = new Map<string, "open" | "done">();
  const closing = new Set<Link>();
  for (const { id } of vertices) {
    if (state.has(id)) continue;
    // An explicit stack instead of recursion: a circuit may be a thousand nodes long.
    const path: { readonly id: string; next: number }[] = [{ id, next: 0 }];
    state.set(id, "open");
    while (path.length > 0) {
      const top = path[path.length - 1] as { readonly id: string; next: number };
      const link = out.get(top.id)?.[top.next];
      top.next += 1;
      if (link === undefined) {
        state.set(top.id, "done");
        path.pop();
      } else if (state.get(link.to) === "open") closing.add(link);
      else if (!state.has(link.to)) {
        state.set(link.to, "open");
        path.push({ id: link.to, next: 0 });
      }
    }
  }
  return closing;
}

function longestWays(vertices: readonly Vertex[], forward: readonly Link[]): Map<string, number> {
  const out = grouped(forward);
  const waits = new Map(vertices.map(({ id }) => [id, 0]));
  for (const { to } of forward) waits.set(to, (waits.get(to) ?? 0) + 1);
  const rank = new Map(vertices.map(({ id }) => [id, 0]));
  const ready = vertices.filter(({ id }) => waits.get(id) === 0).map(({ id }) => id);
  for (const id of ready) {
    for (const { to } of out.get(id) ?? []) {
      rank.set(to, Math.max(rank.get(to) ?? 0, (rank.get(id) ?? 0) + 1));
      const left = (waits.get(to) ?? 0) - 1;
      waits.set(to, left);
      if (left === 0) ready.push(to);
    }
  }
  for (const { id, undoes } of vertices) if (undoes !== undefined) rank.set(id, rank.get(undoes) ?? 0);
  return rank;
}

export function grouped(links: readonly Link[]): Map<string, Link[]> {
  const by = new Map<string, Link[]>();
  for (const link of links) {
    const list = by.get(link.from);
    if (list === undefined) by.set(link.from, [link]);
    else list.push(link);
  }
  return by;
}

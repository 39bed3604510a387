import type { WatchedNode } from "#core/timeline/recorder.js";

/**
 * The subgraphs around nodes, each once. A circuit does not list them, as they have no counts.
 * Ids are paths of escaped names (runtime/node-id.ts); a last part with a colon is a branch's path.
 */
export function enclosingNodes(nodes: readonly WatchedNode[]): readonly WatchedNode[] {
  const known = new Set(nodes.map(({ id }) => id));
  const found: WatchedNode[] = [];
  for (const { id } of nodes) {
    for (let end = id.lastIndexOf("/"); end > 0; end = id.lastIndexOf("/", end - 1)) {
      const outer = id.slice(0, end);
      const last = outer.slice(outer.lastIndexOf("/") + 1);
      if (known.has(outer) || last === outer || last.includes(":")) continue;
      known.add(outer);
      found.push({ id: outer, label: decodeURIComponent(last.replace(/#\d+$/, "")) });
    }
  }
  return found;
}

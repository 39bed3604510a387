import type { WatchedNode } from "#core/recorder.js";

/**
 * The subgraphs that nodes stand in, each once. They are entered and left like nodes, and
 * have no counts, so that a circuit does not list them. Ids are paths of names in which what
 * separates names is escaped (runtime/node-id.ts): a last part with a colon is a branch's path.
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

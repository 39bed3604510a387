import type { SchematicEdge } from "#core/flow/schematic.js";
import type { Changes } from "./change.js";
import type { FlatSchematic } from "./flat-schematic.js";

/**
 * Edges between nodes that exist in both. An added or removed node is reported itself, so its edges are
 * contracted: for a -> new -> b no edge is new.
 */
export function compareEdges(base: FlatSchematic, head: FlatSchematic, changes: Changes): void {
  const common = new Set([...base.nodes.keys()].filter((key) => head.nodes.has(key)));
  const [before, after] = [contracted(base, common), contracted(head, common)];
  const idOf = (key: string): string => head.nodes.get(key)?.id ?? key;
  const add = (direction: "added" | "removed", { from, to, kind, label }: SchematicEdge): void => {
    const name = label === undefined ? kind : `${kind} '${label}'`;
    changes.add("edge", direction, `${name} to ${idOf(to)}`, { node: idOf(from) });
  };
  for (const [id, edge] of before) if (!after.has(id)) add("removed", edge);
  for (const [id, edge] of after) if (!before.has(id)) add("added", edge);
}

function contracted(
  { edges }: FlatSchematic,
  common: ReadonlySet<string>,
): ReadonlyMap<string, SchematicEdge> {
  const found = new Map<string, SchematicEdge>();
  for (const edge of [...edges.values()].flat()) {
    if (!common.has(edge.from)) continue;
    const seen = new Set([edge.to]);
    for (const to of seen) {
      // The join of a FanOut follows each removed inner step.
      if (common.has(to) && (to === edge.to || edge.kind !== "Parallel")) {
        const { from, kind, label } = edge;
        found.set(JSON.stringify([from, to, kind, label]), { ...edge, to });
      }
      if (!common.has(to))
        for (const next of edges.get(to) ?? []) if (next.kind === "Linear") seen.add(next.to);
    }
  }
  return found;
}

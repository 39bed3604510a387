import type { Schematic, SchematicEdge, SchematicNode } from "#core/flow/schematic.js";

/** A Schematic with its subgraphs in one list. Keys are ids without the Axon's name, which may change. */
export interface FlatSchematic {
  readonly nodes: ReadonlyMap<string, SchematicNode>;
  /** By the key of the source node. */
  readonly edges: ReadonlyMap<string, readonly SchematicEdge[]>;
}

export function flattened(schematic: Schematic): FlatSchematic {
  const nodes = new Map<string, SchematicNode>();
  const edges = new Map<string, SchematicEdge[]>();
  const keyOf = (id: string): string => (id.startsWith(schematic.id) ? id.slice(schematic.id.length) : id);
  const walk = (of: Schematic): void => {
    for (const node of of.nodes) {
      nodes.set(keyOf(node.id), node);
      if (node.schematic !== undefined) walk(node.schematic);
    }
    for (const edge of of.edges) {
      const [from, to] = [keyOf(edge.from), keyOf(edge.to)];
      edges.set(from, [...(edges.get(from) ?? []), { ...edge, from, to }]);
    }
  };
  walk(schematic);
  return { nodes, edges };
}

/** The Axon's own node: its location is the Axon's. */
export const ingressOf = ({ nodes }: Schematic): SchematicNode | undefined =>
  nodes.find(({ kind }) => kind === "Ingress");

/** Nodes that are reachable from a node. */
export function reachable({ edges }: FlatSchematic, from: string): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [from];
  for (let key = open.pop(); key !== undefined; key = open.pop())
    for (const { to } of edges.get(key) ?? []) {
      if (found.has(to)) continue;
      found.add(to);
      open.push(to);
    }
  return found;
}

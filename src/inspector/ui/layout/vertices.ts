// The units of the layout: a single node, or a stack of consecutive guards, layers and the identity
// boundary.

import type { EdgeKind, Schematic, SchematicNode } from "#core/flow/schematic.js";
import { shapeOf } from "./size.js";

export interface Vertex {
  /** Id of its first node. */
  readonly id: string;
  /** In the order in which they run; more than one node is a stack. */
  readonly nodes: readonly SchematicNode[];
  /** Id of the node that it compensates. It is placed below that node, outside the flow. */
  readonly undoes: string | undefined;
}

export interface Link {
  readonly from: string;
  readonly to: string;
  readonly kind: EdgeKind;
  readonly label: string | undefined;
}

export interface Graph {
  readonly vertices: readonly Vertex[];
  /** Between different vertices; links inside a stack are not drawn. */
  readonly links: readonly Link[];
}

export function graphOf({ nodes, edges }: Schematic): Graph {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const known = edges.filter(({ from, to }) => byId.has(from) && byId.has(to));
  const undoes = new Map(
    known.flatMap((edge) => (edge.kind === "Compensation" ? [[edge.to, edge.from]] : [])),
  );
  const after = stackedAfter(byId, known);
  const headOf = new Map<string, string>();
  const vertices: Vertex[] = [];
  const continued = new Set(after.values());
  for (const node of nodes) {
    if (continued.has(node.id)) continue;
    const stack = [node];
    for (let next = after.get(node.id); next !== undefined; next = after.get(next))
      stack.push(byId.get(next) as SchematicNode);
    for (const { id } of stack) headOf.set(id, node.id);
    vertices.push({ id: node.id, nodes: stack, undoes: undoes.get(node.id) });
  }
  const links = known.flatMap(({ from, to, kind, label }) => {
    const link = { from: headOf.get(from) as string, to: headOf.get(to) as string, kind, label };
    return link.from === link.to ? [] : [link];
  });
  return { vertices, links };
}

/** The slim node that is the only successor of a slim node, and has it as its only predecessor. */
function stackedAfter(
  byId: ReadonlyMap<string, SchematicNode>,
  edges: Schematic["edges"],
): Map<string, string> {
  const out = new Map<string, string[]>();
  const into = new Map<string, number>();
  for (const { from, to } of edges) {
    out.set(from, [...(out.get(from) ?? []), to]);
    into.set(to, (into.get(to) ?? 0) + 1);
  }
  const after = new Map<string, string>();
  for (const { from, to, kind } of edges) {
    const isAlone = out.get(from)?.length === 1 && into.get(to) === 1;
    if (kind === "Linear" && isAlone && isSlim(byId.get(from)) && isSlim(byId.get(to))) after.set(from, to);
  }
  return withoutRings(after);
}

/** A cycle has no first node: it is broken up. */
function withoutRings(after: Map<string, string>): Map<string, string> {
  for (const start of [...after.keys()]) {
    let at = after.get(start);
    for (let n = 0; at !== undefined && at !== start && n <= after.size; n += 1) at = after.get(at);
    if (at === start) after.delete(start);
  }
  return after;
}

const isSlim = (node: SchematicNode | undefined): boolean => node !== undefined && shapeOf(node) === "slim";

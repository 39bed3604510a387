// What is laid out: a node by itself, or guards, layers and the identity boundary that
// follow each other, stacked as one.

import type { EdgeKind, Schematic, SchematicNode } from "#core/flow/schematic.js";
import { shapeOf } from "./size.js";

export interface Vertex {
  /** Of its first node. */
  readonly id: string;
  /** More than one: a stack, in the order in which they run. */
  readonly nodes: readonly SchematicNode[];
  /** Undoes another: it stands below that one, outside the flow. */
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
  /** Between different vertices; those inside a stack are not drawn. */
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

/** Of a slim node the slim one that alone follows it and that it alone leads to. */
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

/** A ring has no beginning: nobody would come to stand first. */
function withoutRings(after: Map<string, string>): Map<string, string> {
  for (const start of [...after.keys()]) {
    let at = after.get(start);
    for (let n = 0; at !== undefined && at !== start && n <= after.size; n += 1) at = after.get(at);
    if (at === start) after.delete(start);
  }
  return after;
}

const isSlim = (node: SchematicNode | undefined): boolean => node !== undefined && shapeOf(node) === "slim";

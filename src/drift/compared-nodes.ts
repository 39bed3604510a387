import type { SchematicNode } from "#core/flow/schematic.js";
import type { Area, Changes, Rule } from "./change.js";
import { compareNode, compareRetry, furtherKeys } from "./compared-node.js";
import type { FlatSchematic } from "./flat-schematic.js";

export function compareNodes(base: FlatSchematic, head: FlatSchematic, changes: Changes): void {
  const undone = new Set(
    [...base.nodes.values(), ...head.nodes.values()].map(({ compensation_node_id }) => compensation_node_id),
  );
  const areaOf = ({ id, kind }: SchematicNode): Area =>
    undone.has(id) ? "compensation" : (AREAS[kind] ?? "node");
  for (const [key, node] of base.nodes) {
    const next = head.nodes.get(key);
    if (next?.kind === node.kind) continue;
    const area = areaOf(node);
    const now = next === undefined ? "" : `; a node of kind ${next.kind} has its place`;
    changes.add(area, "removed", `${nameOf(node)} is gone${now}`, {
      node: node.id,
      rule: isMoved(node, base, head) ? undefined : REMOVALS[area],
    });
  }
  const known = [...base.nodes.values()].map(({ bus_capability }) => bus_capability);
  for (const [key, node] of head.nodes) {
    const before = base.nodes.get(key);
    if (before?.kind === node.kind) compareNode(before, node, changes);
    else {
      changes.add(areaOf(node), "added", `${nameOf(node)} is new`, { node: node.id });
      compareRetry(undefined, node, changes);
      // An access that no step of the Axon had before.
      const keys = furtherKeys(known, node.bus_capability);
      if (keys !== "") changes.add("bus", "widened", keys, { node: node.id, rule: "bus_widening" });
    }
  }
}

const AREAS: Readonly<Partial<Record<SchematicNode["kind"], Area>>> = {
  Guard: "guard",
  Layer: "layer",
  Iam: "iam",
  Audit: "audit",
};

const REMOVALS: Readonly<Partial<Record<Area, Rule>>> = {
  node: "node_removal",
  audit: "node_removal",
  guard: "guard_removal",
  layer: "guard_removal",
  compensation: "compensation_removal",
};

const nameOf = ({ kind, label }: SchematicNode): string => {
  if (kind === "Iam") return "the identity check";
  return `${kind === "Atom" ? "step" : kind.toLowerCase()} '${label}'`;
};

/** Whether a guard has another position. compared-guards.ts reports a guard that may run too late. */
const isMoved = ({ kind, label }: SchematicNode, base: FlatSchematic, head: FlatSchematic): boolean =>
  (kind === "Guard" || kind === "Layer") && countOf(kind, label, head) >= countOf(kind, label, base);

const countOf = (kind: string, label: string, { nodes }: FlatSchematic): number =>
  [...nodes.values()].filter((node) => node.kind === kind && node.label === label).length;

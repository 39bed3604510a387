// Compares two exports, circuit by circuit. An export equals itself. Locations are ignored.

import type { SourceLocation } from "#core/flow/schematic.js";
import { type Change, Changes, type Site } from "./change.js";
import { compareEdges } from "./compared-edges.js";
import { compareGuards } from "./compared-guards.js";
import { compareLimit, compareRetry, schemaRule } from "./compared-node.js";
import { compareNodes } from "./compared-nodes.js";
import { comparePolicies } from "./compared-policies.js";
import { schemaChanges } from "./compared-schema.js";
import { type FlatSchematic, flattened, ingressOf } from "./flat-schematic.js";
import type { ExportedCircuit, ProgramExport } from "./program-export.js";

export function comparedPrograms(base: ProgramExport, head: ProgramExport): readonly Change[] {
  const after = new Map(head.circuits.map((circuit) => [circuit.mount, circuit]));
  const before = new Set(base.circuits.map(({ mount }) => mount));
  return merged([
    ...base.circuits.flatMap((circuit) => {
      const next = after.get(circuit.mount);
      return next === undefined ? gone(circuit, head) : comparedCircuits(circuit, next);
    }),
    ...head.circuits.filter(({ mount }) => !before.has(mount)).flatMap(fresh),
  ]);
}

/** Merges equal changes of an Axon that several routes share. */
function merged(changes: readonly Change[]): readonly Change[] {
  const found = new Map<string, Change>();
  for (const change of changes) {
    const { axon, node, area, direction, rule, text, mounts } = change;
    const id = JSON.stringify([axon, node, area, direction, rule, text]);
    const same = found.get(id);
    found.set(id, same === undefined ? change : { ...same, mounts: [...same.mounts, ...mounts] });
  }
  return [...found.values()];
}

function gone({ mount, schematic }: ExportedCircuit, head: ProgramExport): readonly Change[] {
  const { name } = schematic;
  // It may still be mounted elsewhere.
  const other = head.circuits.find((circuit) => circuit.schematic.name === name)?.schematic;
  const changes = new Changes({
    axon: name,
    mount,
    locate: () => locationOf(other) ?? locationOf(schematic),
  });
  changes.add("route", "removed", `${mount} is gone`, { rule: "route_removal" });
  return changes.list;
}

function fresh({ mount, kind, schematic, responses }: ExportedCircuit): readonly Change[] {
  const flat = flattened(schematic);
  const changes = new Changes(siteOf(mount, schematic, flat));
  changes.add("route", "added", `${mount} is new`);
  for (const node of flat.nodes.values()) compareRetry(undefined, node, changes);
  if (kind === "route" && responses === undefined && !promises(schematic))
    changes.add("output", "removed", "has no output schema", { rule: "missing_output_schema" });
  return changes.list;
}

const promises = ({ nodes }: ExportedCircuit["schematic"]): boolean =>
  nodes.some(({ kind, output_schema }) => kind === "Egress" && output_schema !== undefined);

function comparedCircuits(before: ExportedCircuit, after: ExportedCircuit): readonly Change[] {
  const [old, next] = [before.schematic, after.schematic];
  const [base, head] = [flattened(old), flattened(next)];
  const changes = new Changes(siteOf(after.mount, next, head));
  if (old.name !== next.name) changes.add("axon", "changed", `it is '${next.name}', was '${old.name}'`);
  if (old.version !== next.version)
    changes.add("version", "changed", `version ${next.version}, was ${old.version}`);
  if (before.kind !== after.kind)
    changes.add("route", "changed", `its kind is ${after.kind}, was ${before.kind}`);
  if ((before.detached ?? false) !== (after.detached ?? false))
    changes.add("route", "changed", after.detached === true ? "is detached now" : "is not detached any more");
  compareInputs(before, after, changes);
  compareResponses(before, after, changes);
  const [limits, others] = [before.limits ?? {}, after.limits ?? {}];
  for (const name of new Set([...Object.keys(limits), ...Object.keys(others)]))
    compareLimit(name, limits[name], others[name], changes);
  comparePolicies(base, head, changes);
  compareNodes(base, head, changes);
  compareGuards(base, head, changes);
  compareEdges(base, head, changes);
  requireVersion(before, after, changes);
  return changes.list.filter((change) => !isRepeated(change, changes.list));
}

function siteOf(mount: string, schematic: ExportedCircuit["schematic"], { nodes }: FlatSchematic): Site {
  const byId = new Map([...nodes.values()].map((node) => [node.id, node]));
  return {
    axon: schematic.name,
    mount,
    locate: (node) => byId.get(node ?? "")?.source_location ?? locationOf(schematic),
  };
}

const locationOf = (schematic: ExportedCircuit["schematic"] | undefined): SourceLocation | undefined =>
  schematic && ingressOf(schematic)?.source_location;

function compareInputs(before: ExportedCircuit, after: ExportedCircuit, changes: Changes): void {
  const [old, next] = [before, after].map(
    ({ input = [] }) => new Map(input.map((each) => [each.from, each])),
  );
  for (const from of new Set([...(old?.keys() ?? []), ...(next?.keys() ?? [])])) {
    const [was, is] = [old?.get(from), next?.get(from)];
    if (was === undefined)
      changes.add("input", "narrowed", `${from} is read now`, { rule: "schema_narrowing" });
    else if (is === undefined) changes.add("input", "widened", `${from} is not read any more`);
    else
      for (const { direction, text } of schemaChanges(was.schema, is.schema, "input"))
        changes.add("input", direction, `${from} ${text}`, { rule: schemaRule("input", direction) });
  }
}

function compareResponses(before: ExportedCircuit, after: ExportedCircuit, changes: Changes): void {
  const [old, next] = [before.responses ?? {}, after.responses ?? {}];
  for (const status of new Set([...Object.keys(old), ...Object.keys(next)]))
    for (const { direction, text } of schemaChanges(old[status], next[status], "output"))
      changes.add("output", direction, `response ${status} ${text}`, {
        rule: schemaRule("output", direction),
      });
}

/** The Egress has the same output as the last step. */
const isRepeated = ({ area, node, direction, rule, text }: Change, all: readonly Change[]): boolean =>
  area === "output" &&
  node?.endsWith(":out") === true &&
  all.some(
    (other) =>
      other.area === area &&
      other.node?.endsWith(":out") === false &&
      other.direction === direction &&
      other.rule === rule &&
      other.text === text,
  );

const STRUCTURE = new Set([
  "axon",
  "node",
  "audit",
  "edge",
  "bus",
  "compensation",
  "input",
  "output",
  "other",
]);
/** Nodes that act before a run begins, and after it has ended. */
const OUTSIDE = new Set(["Ingress", "Egress", "Layer", "Guard", "Iam"]);

/** A change that a kept run would meet when it is resumed requires another version. */
function requireVersion(before: ExportedCircuit, after: ExportedCircuit, changes: Changes): void {
  const [old, next] = [before.schematic, after.schematic];
  const isKept = [old, next].every((schematic) => ingressOf(schematic)?.persistence !== undefined);
  if (!isKept || old.version !== next.version) return;
  const outside = new Set(
    [old, next].flatMap(({ nodes }) => nodes.flatMap(({ id, kind }) => (OUTSIDE.has(kind) ? [id] : []))),
  );
  const isStructure = changes.list.some(
    ({ area, node }) =>
      STRUCTURE.has(area) && (area === "axon" || (node !== undefined && !outside.has(node))),
  );
  if (isStructure)
    changes.add("version", "changed", `another structure under version ${next.version}: withVersion(...)`, {
      rule: "unversioned_change_of_kept",
    });
}

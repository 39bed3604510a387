import type { AnyKey } from "#core/bus/bus-key.js";
import type { AnyGuard } from "#core/flow/guard.js";
import type {
  BusCapability,
  DrawnWait,
  Schematic,
  SchematicEdge,
  SchematicNode,
} from "#core/flow/schematic.js";
import type { AnyTransition } from "#core/flow/transition.js";
import {
  type AxonDefinition,
  type Budget,
  outputSchemaOf,
  type StepDefinition,
} from "../definition/axon-definition.js";
import type { CallSite } from "../definition/call-site.js";
import { drawnIam, drawnPolicy } from "../definition/iam-definition.js";
import { decided } from "../definition/surroundings.js";
import type { WaitDefinition } from "../definition/wait.js";
import {
  axonId,
  branchPath,
  egressId,
  guardId,
  iamId,
  ingressId,
  joinId,
  layerId,
  stepId,
  undoId,
} from "../run/node-id.js";

export interface SchematicOptions {
  /** Adds file and line to each node. Default false: comparisons of two Schematics ignore them. */
  readonly sourceLocations?: boolean;
}

/** Draws an Axon: one Ingress node, one node a step, one Egress; branches leave and rejoin. */
export function schematicOf(
  axon: AxonDefinition,
  { sourceLocations = false }: SchematicOptions = {},
): Schematic {
  return drawn(decided(axon), axonId(axon.name), sourceLocations);
}

/** `id` is the Axon's own, or that of the node that contains it. */
function drawn(axon: AxonDefinition, id: string, locates: boolean): Schematic {
  const drawing: Drawing = { nodes: [], edges: [], locates };
  const egress = egressId(id);

  const ingress = drawIngress(axon, id, drawing);
  const last = drawFront(axon, id, ingress, drawing);
  const entry = drawLine(axon, id, egress, drawing);
  drawing.edges.push({ from: last, to: entry, kind: "Linear" });
  drawEgress(axon, id, drawing);
  const { nodes, edges } = drawing;
  return { schema_version: "1.0", id, name: axon.name, version: axon.version, nodes, edges };
}

interface Drawing {
  readonly nodes: SchematicNode[];
  readonly edges: SchematicEdge[];
  readonly locates: boolean;
}

function drawIngress(axon: AxonDefinition, path: string, drawing: Drawing): string {
  const id = ingressId(path);
  const schema = axon.input && { input_schema: axon.input };
  const mode = drawnMode(axon);
  drawing.nodes.push({
    id,
    kind: "Ingress",
    label: axon.name,
    ...(mode && { execution_mode: mode }),
    ...(axon.persistence && { persistence: { checkpoint: axon.persistence.checkpoint } }),
    ...(axon.budget && { budget: drawnBudget(axon.budget) }),
    ...schema,
    ...located(axon.site, drawing),
  });
  return id;
}

function drawnMode({ mode }: AxonDefinition): SchematicNode["execution_mode"] {
  if (mode.kind === "local") return undefined;
  return { kind: mode.kind, lock_key: mode.lockKey, ttl_ms: mode.ttlMs };
}

const drawnBudget = ({ p99Ms, bytes }: Budget): NonNullable<SchematicNode["budget"]> => ({
  ...(p99Ms !== undefined && { p99_ms: p99Ms }),
  ...(bytes !== undefined && { bytes }),
});

/** Draws the layers around an Axon and the guards in front, after `ingress`. Returns the last node. */
function drawFront(axon: AxonDefinition, path: string, ingress: string, drawing: Drawing): string {
  const front: SchematicNode[] = [
    ...axon.layers.map((defined): SchematicNode => {
      const { name, description } = defined.layer;
      const capability = capabilityOf(defined.layer);
      return {
        id: layerId(path, defined),
        kind: "Layer",
        label: name,
        ...(description !== undefined && { description }),
        ...(capability && { bus_capability: capability }),
      };
    }),
    ...axon.guards.map((guard) => nodeOf(guard, guardId(path, guard))),
  ];
  let last = ingress;
  for (const node of front) {
    drawing.nodes.push(node);
    drawing.edges.push({ from: last, to: node.id, kind: "Linear" });
    last = node.id;
  }
  return last;
}

function drawEgress(axon: AxonDefinition, path: string, drawing: Drawing): string {
  const id = egressId(path);
  const output = outputSchemaOf(axon);
  drawing.nodes.push({ id, kind: "Egress", label: axon.name, ...(output && { output_schema: output }) });
  return id;
}

/**
 * Draws a branch, which rejoins at `exit`. It has an Ingress and an Egress if its Axon checks its
 * input or output, or takes a lock. Returns the node at which it begins.
 */
function drawBranch(axon: AxonDefinition, path: string, exit: string, drawing: Drawing): string {
  const begins = axon.input !== undefined || axon.mode.kind !== "local";
  const ingress = begins ? drawIngress(axon, path, drawing) : undefined;
  const isChecked = outputSchemaOf(axon) !== undefined;
  const entry = drawLine(axon, path, isChecked ? egressId(path) : exit, drawing);
  if (isChecked) drawing.edges.push({ from: drawEgress(axon, path, drawing), to: exit, kind: "Linear" });
  if (ingress === undefined) return entry;
  drawing.edges.push({ from: ingress, to: entry, kind: "Linear" });
  return ingress;
}

function drawLine(axon: AxonDefinition, path: string, exit: string, drawing: Drawing): string {
  const { iam } = axon;
  if (iam === undefined) return draw(axon, path, exit, drawing);
  const id = iamId(path);
  const { admits: _, ...node } = nodeOf(iam.step, id);
  drawing.nodes.push({
    ...node,
    kind: "Iam",
    iam: drawnIam(iam),
    ...located(iam.step.site, drawing),
  });
  drawing.edges.push({ from: id, to: draw(axon, path, exit, drawing), kind: "Linear" });
  return id;
}

function draw(axon: AxonDefinition, path: string, exit: string, drawing: Drawing): string {
  const ids = axon.steps.map((step) => stepId(path, step));
  const nodeAt = (index: number): string => ids[index] ?? exit;
  axon.steps.forEach((step, index) => {
    const { transition, branches } = step;
    const from = nodeAt(index);
    const next = nodeAt(index + 1);
    const last = drawStep(step, from, drawing);
    drawing.edges.push({ from: last, to: next, kind: "Linear" });
    for (const label of transition.jumps ?? []) {
      const target = axon.labels.get(label);
      if (target !== undefined) drawing.edges.push({ from, to: nodeAt(target), kind: "Jump", label });
    }
    for (const [id, body] of branches) {
      const to = drawBranch(body, branchPath(from, id), next, drawing);
      drawing.edges.push({ from, to, kind: "Branch", label: id });
    }
  });
  return nodeAt(0);
}

function drawStep(step: StepDefinition, id: string, drawing: Drawing): string {
  const last = drawBody(step, id, drawing);
  const { undo } = step;
  if (undo !== undefined) {
    const to = undoId(id);
    drawing.nodes.push(nodeOf({ ...undo, timeoutMs: undefined, undo: undefined }, to));
    drawing.edges.push({ from: id, to, kind: "Compensation" });
  }
  return last;
}

function drawBody(step: StepDefinition, id: string, drawing: Drawing): string {
  const { transition, body, site } = step;
  const node = { ...nodeOf(step, id), ...located(site, drawing) };
  switch (body.kind) {
    case "function":
      drawing.nodes.push(node);
      return id;
    case "wait": {
      const { wait } = body;
      const limit = wait.kind === "signals" && wait.timeoutMs !== undefined && { timeout_ms: wait.timeoutMs };
      drawing.nodes.push({ ...node, kind: "Wait", ...limit, waits: drawnWait(wait) });
      return id;
    }
    case "start":
      drawing.nodes.push({ ...node, kind: "Start", starts: body.start.axon });
      return id;
    case "subgraph":
      drawing.nodes.push({ ...node, kind: "Subgraph", schematic: drawn(body.axon, id, drawing.locates) });
      return id;
    case "parallel": {
      const join = joinId(id);
      drawing.nodes.push({ ...node, kind: "FanOut", strategy: body.strategy });
      for (const inner of body.steps) {
        const to = stepId(id, inner);
        const last = drawStep(inner, to, drawing);
        drawing.edges.push({ from: id, to, kind: "Parallel" }, { from: last, to: join, kind: "Linear" });
      }
      drawing.nodes.push({ id: join, kind: "FanIn", label: transition.name });
      return join;
    }
  }
}

function drawnWait(wait: WaitDefinition): DrawnWait {
  switch (wait.kind) {
    case "sleep":
      return { for: "time", ...(typeof wait.until === "number" && { ms: wait.until }) };
    case "signals":
      return { for: "signal", signals: wait.signals.map(({ name, schema }) => ({ name, schema })) };
    case "run":
      return { for: "run", axon: wait.axon };
    case "continue":
      return { for: "continue" };
  }
}

function located(site: CallSite, { locates }: Drawing): Pick<SchematicNode, "source_location"> {
  const location = locates ? site.locate() : undefined;
  return location === undefined ? {} : { source_location: location };
}

const KINDS = { step: "Atom", synapse: "Synapse", guard: "Guard", audit: "Audit" } as const;

function nodeOf(
  { transition, retry, timeoutMs, undo }: Pick<StepDefinition, "transition" | "retry" | "timeoutMs" | "undo">,
  id: string,
): SchematicNode {
  const { name, description, emits, input, output, offload, audit, pure, effect } = transition;
  const { admits } = transition as AnyGuard;
  const capability = capabilityOf(transition);
  return {
    id,
    kind: KINDS[transition.kind ?? "step"],
    label: name,
    ...(description !== undefined && { description }),
    ...(capability && { bus_capability: capability }),
    ...(emits && emits.length > 0 && { emits: emits.map((kind) => kind.name) }),
    ...(retry && { retry: retry.describe() }),
    ...(timeoutMs !== undefined && { timeout_ms: timeoutMs }),
    ...(pure && { replay: "pure" }),
    ...(effect && { replay: "effect" }),
    ...(offload && { offload: { module: offload.module, export: offload.export } }),
    ...(audit && {
      audit: {
        ...(audit.action !== undefined && { action: audit.action }),
        on_failure: audit.onFailure,
      },
    }),
    ...(admits && { admits: drawnPolicy(admits) }),
    ...(undo && { compensation_node_id: undoId(id) }),
    ...(input && { input_schema: input }),
    ...(output && { output_schema: output }),
  };
}

function capabilityOf({
  reads,
  writes,
  mayRead,
  mayWrite,
  deletes,
}: Pick<AnyTransition, "reads" | "writes" | "mayRead" | "mayWrite" | "deletes">): BusCapability | undefined {
  const names = (keys: readonly AnyKey[] = []): string[] => keys.map((key) => key.name).sort();
  const capability = {
    reads: names(reads),
    writes: names(writes),
    may_read: names(mayRead),
    may_write: names(mayWrite),
    deletes: names(deletes),
  };
  return Object.values(capability).some((list) => list.length > 0) ? capability : undefined;
}

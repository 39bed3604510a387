// explain(), the Schematic and the Timeline of an example tell the same story.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";

import { Axon } from "framework";
import type { Schematic, SchematicEdge, SchematicNode, Timeline, TimelineEvent } from "framework/core";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { moduleOf } from "../support/root.js";
import { exampleRuns } from "./example-runs.js";

const FOLDERS = ["examples/constructs", "examples/orders", "examples/nodes"];

/** All that is drawn, nested Schematics included. */
class Drawing {
  readonly nodes: SchematicNode[] = [];
  readonly edges: SchematicEdge[] = [];
  readonly byId = new Map<string, SchematicNode>();
  /** The Subgraph around an Ingress or Egress. */
  readonly #around = new Map<string, string>();

  constructor(schematic: Schematic) {
    this.#add(schematic);
  }

  #add({ nodes, edges }: Schematic): void {
    this.nodes.push(...nodes);
    this.edges.push(...edges);
    for (const node of nodes) {
      this.byId.set(node.id, node);
      for (const border of node.schematic?.nodes ?? [])
        if (border.kind === "Ingress" || border.kind === "Egress") this.#around.set(border.id, node.id);
      if (node.schematic !== undefined) this.#add(node.schematic);
    }
  }

  /** What an edge is drawn from: of a FanOut, the lines that go on leave its FanIn. */
  #leaves(from: string, id: string): boolean {
    if (this.byId.get(id)?.kind !== "FanOut") return from === id;
    return from === `${id}:join`;
  }

  /** The nodes that may be entered next once `id` is left by an edge that fits. */
  after(id: string, fits: (edge: SchematicEdge) => boolean): readonly string[] {
    const border = this.#around.get(id);
    // An Egress that stands in a Subgraph leads out of it.
    if (border !== undefined && this.byId.get(id)?.kind === "Egress") return [`left ${border}`];
    return this.edges
      .filter((edge) => this.#leaves(edge.from, id) && edge.kind !== "Compensation" && fits(edge))
      .flatMap(({ to }) => [to, ...this.#through(to)]);
  }

  /** The nodes that may be entered first inside `id`. */
  inside(id: string): readonly string[] {
    const inner = this.byId.get(id)?.schematic;
    const ingress = inner?.nodes.find(({ kind }) => kind === "Ingress");
    return ingress === undefined ? [] : [ingress.id, ...this.#through(ingress.id)];
  }

  /** A Timeline tells of a border only where something is checked there. */
  #through(id: string): readonly string[] {
    const kind = this.byId.get(id)?.kind;
    return kind === "Ingress" || kind === "Egress" ? this.after(id, () => true) : [];
  }

  /** Whether `id` stands inside one step of a FanOut, which has a line of its own. */
  partOf(id: string): string | undefined {
    return this.nodes
      .filter(({ kind }) => kind === "FanOut")
      .flatMap((fan) => this.edges.filter(({ from, kind }) => from === fan.id && kind === "Parallel"))
      .map(({ to }) => to)
      .find((part) => id === part || id.startsWith(`${part}/`) || id.startsWith(`${part}:`));
  }
}

/** Follows one line of a Timeline through the drawing; answers what does not fit. */
function follow(drawing: Drawing, events: readonly TimelineEvent[], first: readonly string[]): string[] {
  const wrong: string[] = [];
  let allowed = first;
  let entered: string[] = [];
  let last: TimelineEvent | undefined;
  for (const event of events) {
    switch (event.kind) {
      case "node_enter":
        if (!allowed.includes(event.node))
          wrong.push(`${event.node} is entered where ${allowed.join(" or ") || "nothing"} could be`);
        entered.push(event.node);
        allowed = drawing.inside(event.node);
        break;
      case "node_retry":
        entered = entered.slice(0, entered.indexOf(event.node) + 1);
        allowed = drawing.inside(event.node);
        break;
      case "branch_taken":
        allowed = drawing.after(event.node, ({ kind, label }) => kind === "Branch" && label === event.branch);
        break;
      case "jump_taken":
        allowed = drawing.after(event.node, ({ kind, label }) => kind === "Jump" && label === event.label);
        break;
      case "node_exit": {
        const around = entered.pop();
        if (around !== event.node) wrong.push(`${event.node} is left inside ${around}`);
        const isSubgraph = drawing.byId.get(event.node)?.schematic !== undefined;
        if (isSubgraph && event.outcome === "next" && !allowed.includes(`left ${event.node}`))
          wrong.push(`${event.node} is left where ${allowed.join(" or ")} could be`);
        allowed =
          event.outcome === "next" || event.outcome === "emit"
            ? drawing.after(event.node, ({ kind }) => kind === "Linear")
            : [];
        break;
      }
      default:
        continue;
    }
    last = event;
  }
  if (entered.length > 0) wrong.push(`${entered.join(", ")} never left`);
  if (last?.kind === "node_exit" && last.outcome === "next" && allowed.some((id) => isStep(drawing, id)))
    wrong.push(`the run ends at ${last.node}, before ${allowed.join(" or ")}`);
  return wrong;
}

/** The line of explain() that names a node: a step's begins with a number, and what there is to say follows its name. */
const saying = (kind: string, label: string, undoes: boolean): RegExp => {
  const name = label.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  if (undoes) return new RegExp(`undone by ${name}\\b`);
  if (kind === "Iam") return /^ +iam /m;
  return kind === "Ingress" || kind === "Egress"
    ? new RegExp(name)
    : new RegExp(`^[ |]*\\d+ ${name}( {2}|$)`, "m");
};

const isStep = ({ byId }: Drawing, id: string): boolean =>
  ["Atom", "Synapse", "Subgraph", "FanOut"].includes(byId.get(id)?.kind ?? "");

/** The lines of a Timeline: the main one, and one for each step beside others. */
function linesOf(drawing: Drawing, { events }: Timeline): ReadonlyMap<string, readonly TimelineEvent[]> {
  const lines = new Map<string, TimelineEvent[]>();
  for (const event of events) {
    const line = drawing.partOf(event.node) ?? "";
    lines.set(line, [...(lines.get(line) ?? []), event]);
  }
  return lines;
}

test("each Axon that an example exports is run here", async () => {
  const exported = (
    await Promise.all(
      FOLDERS.flatMap((folder) =>
        readdirSync(folder)
          .filter((name) => name.endsWith(".ts") && !/main|\.test\./.test(name))
          .map(
            (name) =>
              import(pathToFileURL(moduleOf(join(folder, name))).href) as Promise<Record<string, unknown>>,
          ),
      ),
    )
  )
    .flatMap((module) => Object.values(module))
    .filter((value): value is AnyAxon => value instanceof Axon);
  const run = new Set<AnyAxon>(exampleRuns.map(({ axon }) => axon));

  assert.ok(exported.length > 20);
  assert.deepEqual(
    exported.filter((axon) => !run.has(axon)).map(({ name }) => name),
    [],
  );
});

for (const { axon, about, run } of exampleRuns) {
  describe(`${axon.name}: ${about}`, () => {
    const drawing = new Drawing(axon.schematic());

    test("happens at nodes that are drawn", async () => {
      const { timeline } = await run();

      assert.ok(timeline.events.length > 0);
      assert.deepEqual(
        timeline.events.map(({ node }) => node).filter((node) => !drawing.byId.has(node)),
        [],
      );
    });

    test("goes along edges that are drawn, from the Ingress to the end or to a fault", async () => {
      const { timeline } = await run();
      const ingress = axon.schematic().nodes.find(({ kind }) => kind === "Ingress") as SchematicNode;
      const begin = [ingress.id, ...drawing.after(ingress.id, () => true)];

      for (const [part, events] of linesOf(drawing, timeline))
        assert.deepEqual(follow(drawing, events, part === "" ? begin : [part]), []);
    });

    test("undoes only what is drawn with something that undoes it", async () => {
      const { timeline } = await run();
      const undone = timeline.events.filter(({ kind }) => kind === "compensated");

      for (const { node } of undone) {
        const undo = drawing.byId.get(node)?.compensation_node_id ?? "";
        assert.ok(drawing.edges.some(({ from, to }) => from === node && to === undo));
      }
    });
  });
}

for (const axon of new Set(exampleRuns.map((each) => each.axon))) {
  describe(`${axon.name}, drawn`, () => {
    const drawing = new Drawing(axon.schematic());

    test("has nodes with ids of their own, and edges that end at them", () => {
      assert.equal(drawing.byId.size, drawing.nodes.length);
      for (const { from, to } of drawing.edges) {
        assert.ok(drawing.byId.has(from), from);
        assert.ok(drawing.byId.has(to), to);
      }
    });

    test("is named in explain(), each step with what it is", () => {
      const lines = axon.explain().split("\n");
      const undoes = new Set(drawing.nodes.map((node) => node.compensation_node_id));

      for (const { id, label, kind, retry, timeout_ms, emits = [] } of drawing.nodes) {
        const says = saying(kind, label, undoes.has(id));
        const line = lines.find((each) => says.test(each)) ?? "";
        assert.match(axon.explain(), says, label);
        assert.equal(line.includes("a service outside"), kind === "Synapse", label);
        assert.ok(retry === undefined || line.includes(`after ${retry.backoff}`), label);
        assert.ok(timeout_ms === undefined || line.includes(`within ${timeout_ms} ms`), label);
        for (const event of emits) assert.ok(line.includes(event), label);
      }
    });

    test("is the same in two exports, byte for byte", () => {
      assert.equal(JSON.stringify(axon.schematic()), JSON.stringify(axon.schematic()));
    });
  });
}

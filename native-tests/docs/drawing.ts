// What an Axon is drawn as, followed by what its Timeline tells.

import type { Schematic, SchematicEdge, SchematicNode, Timeline, TimelineEvent } from "framework/core";

/** All that is drawn, nested Schematics included. */
export class Drawing {
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
export function follow(
  drawing: Drawing,
  events: readonly TimelineEvent[],
  first: readonly string[],
): string[] {
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
export const saying = (kind: string, label: string, undoes: boolean): RegExp => {
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
export function linesOf(
  drawing: Drawing,
  { events }: Timeline,
): ReadonlyMap<string, readonly TimelineEvent[]> {
  const lines = new Map<string, TimelineEvent[]>();
  for (const event of events) {
    const line = drawing.partOf(event.node) ?? "";
    lines.set(line, [...(lines.get(line) ?? []), event]);
  }
  return lines;
}

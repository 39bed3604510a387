// Which marked fields the values of a program may carry, from its Schematic alone: that has what each
// step receives, reads and writes.

import type { Schematic, SchematicNode } from "#core/flow/schematic.js";
import { type Carried, declaredBy, inferred, joined, NOTHING } from "./carried.js";
import { factOf } from "./request-facts.js";

export class CarriedData {
  readonly #facts: ReadonlyMap<string, Carried>;
  readonly #received = new Map<string, Carried>();
  readonly #reach = new Map<string, Carried>();
  readonly #result = new Map<string, Carried>();
  readonly #keys = new Map<string, Carried>();
  readonly #top: string | undefined;
  readonly #end: string | undefined;
  #size = 0;

  /** `input` is what the Axon receives; `facts` what the keys of the request have, by their names. */
  constructor(schematic: Schematic, input: Carried, facts: ReadonlyMap<string, Carried>) {
    this.#facts = facts;
    this.#top = schematic.nodes[0]?.id;
    this.#end = schematic.nodes.at(-1)?.id;
    // Jumps lead back: repeated until no value has more than before.
    let before: number;
    do {
      before = this.#size;
      this.#pass(schematic, input);
    } while (this.#size > before);
  }

  /** The input of a node, with what its schema declares. */
  received(node: SchematicNode): Carried {
    return this.#received.get(node.id) ?? NOTHING;
  }

  /** Its input and all keys that it may read. */
  reach(node: SchematicNode): Carried {
    return this.#reach.get(node.id) ?? NOTHING;
  }

  /** The value that it returns. */
  result(node: SchematicNode): Carried {
    return this.#result.get(node.id) ?? NOTHING;
  }

  /** Everything that a run has at any time. */
  all(): Carried {
    return joined([...this.#received.values(), ...this.#result.values(), ...this.#keys.values()]);
  }

  #pass({ nodes, edges }: Schematic, input: Carried): Carried {
    let last = NOTHING;
    for (const node of nodes) {
      const given = edges.flatMap(({ from, to, kind }) => {
        if (to !== node.id) return [];
        if (kind === "Compensation") return [this.#of(this.#received, from), this.#of(this.#result, from)];
        const isFree = kind === "Jump" || kind === "Branch";
        return [isFree ? inferred(this.#of(this.#reach, from)) : this.#of(this.#result, from)];
      });
      // The function that merges the results of parallel steps gets their input too.
      if (node.kind === "FanIn") given.push(this.#of(this.#received, node.id.replace(/:join$/, "")));
      last = this.#visit(node, joined(node.kind === "Ingress" && given.length === 0 ? [input] : given));
    }
    return last;
  }

  #visit(node: SchematicNode, given: Carried): Carried {
    const { id, kind, label, waits, bus_capability: bus, input_schema: input, output_schema: output } = node;
    // What the outermost Axon receives is given: its schema is that of the route's input.
    const named = input === undefined || id === this.#top ? undefined : declaredBy(input, label, given);
    const isChecked = kind === "Ingress";
    const received = named === undefined ? given : isChecked ? named : joined([given, named]);
    const read = [...(bus?.reads ?? []), ...(bus?.may_read ?? [])].map((key) => this.#key(key));
    const sent = waits?.signals?.map(({ schema }) => declaredBy(schema, label, given)) ?? [];
    const reach = joined([received, ...read, ...sent]);
    this.#keep(this.#received, id, received);
    this.#keep(this.#reach, id, reach);
    const written = [...(bus?.writes ?? []), ...(bus?.may_write ?? [])];
    for (const key of written) this.#keep(this.#keys, key, this.#fact(key) ?? inferred(reach));
    const inner = node.schematic && this.#pass(node.schematic, received);
    const isPassing =
      PASSING.has(kind) || waits?.for === "time" || written.some((key) => SESSION_STEPS.has(key));
    const free = isPassing ? received : (inner ?? inferred(reach));
    return this.#keep(
      this.#result,
      id,
      output === undefined ? free : declaredBy(output, id === this.#end ? "output" : label, reach),
    );
  }

  #key(name: string): Carried {
    return (
      this.#fact(name) ?? this.#keys.get(name) ?? { ...NOTHING, unknown: new Set([`content of ${name}`]) }
    );
  }

  #fact(name: string): Carried | undefined {
    return this.#facts.get(name) ?? factOf(name);
  }

  #of(values: ReadonlyMap<string, Carried>, id: string): Carried {
    return values.get(id) ?? NOTHING;
  }

  #keep(values: Map<string, Carried>, name: string, value: Carried): Carried {
    const before = values.get(name);
    this.#size += weight(value) - (before === undefined ? 0 : weight(before));
    values.set(name, value);
    return value;
  }
}

/** Nodes that return their input. */
const PASSING: ReadonlySet<string> = new Set([
  "Ingress",
  "Egress",
  "Layer",
  "Guard",
  "Iam",
  "Audit",
  "Start",
  "FanOut",
]);

/** Keys that only the steps which make and end sessions write: they return their input. */
const SESSION_STEPS: ReadonlySet<string> = new Set(["SessionIssued", "SessionForgotten"]);

const weight = ({ fields, unknown }: Carried): number => 1 + fields.size + unknown.size;

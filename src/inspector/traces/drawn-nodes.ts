import type { TSchema } from "@sinclair/typebox";

import type { Schematic, SchematicNode } from "#core/schematic.js";
import { compileRedactor, type Redactor, type RedactorBounds } from "#schema/redactor.js";

export interface DrawnNode {
  readonly label: string;
  readonly kind: string;
}

type Side = "input" | "output";

interface Drawn extends DrawnNode {
  readonly schemas: { readonly input: TSchema | undefined; readonly output: TSchema | undefined };
  readonly redactors: { input?: Redactor; output?: Redactor };
}

/** What the Schematics of a server say of the nodes of its circuits, with a redactor for each. */
export class DrawnNodes {
  readonly #schematics: () => readonly Schematic[];
  readonly #bounds: RedactorBounds;
  #drawn: ReadonlyMap<string, ReadonlyMap<string, Drawn>> | undefined;
  #names: ReadonlySet<string> | undefined;
  #bare: Redactor | undefined;

  /** `schematics` is called at the first run. */
  constructor(schematics: () => readonly Schematic[], bounds: RedactorBounds = {}) {
    this.#schematics = schematics;
    this.#bounds = bounds;
  }

  of(circuit: string, node: string): DrawnNode {
    return this.#find(circuit, node) ?? { label: node, kind: "Atom" };
  }

  /** For what goes into a node or comes out of it. */
  redactor(circuit: string, node: string, side: Side): Redactor {
    const drawn = this.#find(circuit, node);
    if (drawn?.schemas[side] === undefined) return this.redactorOfNames();
    drawn.redactors[side] ??= compileRedactor({
      ...this.#bounds,
      schema: drawn.schemas[side],
      names: this.#markedNames(),
    });
    return drawn.redactors[side];
  }

  /** For what has no schema: what any schema of the server marks is hidden by its name. */
  redactorOfNames(): Redactor {
    this.#bare ??= compileRedactor({ ...this.#bounds, names: this.#markedNames() });
    return this.#bare;
  }

  #find(circuit: string, node: string): Drawn | undefined {
    this.#drawn ??= indexed(this.#schematics());
    return this.#drawn.get(circuit)?.get(node);
  }

  #markedNames(): ReadonlySet<string> {
    if (this.#names !== undefined) return this.#names;
    this.#drawn ??= indexed(this.#schematics());
    const schemas = new Set(
      [...this.#drawn.values()].flatMap((nodes) =>
        [...nodes.values()].flatMap(({ schemas: { input, output } }) => [input, output]),
      ),
    );
    this.#names = new Set(
      [...schemas].flatMap((schema) => (schema === undefined ? [] : [...compileRedactor({ schema }).names])),
    );
    return this.#names;
  }
}

function indexed(schematics: readonly Schematic[]): ReadonlyMap<string, ReadonlyMap<string, Drawn>> {
  const all = new Map<string, Map<string, Drawn>>();
  for (const schematic of schematics) {
    const nodes = all.get(schematic.name) ?? new Map<string, Drawn>();
    all.set(schematic.name, nodes);
    for (const node of nodesOf(schematic)) {
      const { id, label, kind, input_schema: input, output_schema: output } = node;
      if (!nodes.has(id)) nodes.set(id, { label, kind, schemas: { input, output }, redactors: {} });
    }
  }
  return all;
}

const nodesOf = ({ nodes }: Schematic): readonly SchematicNode[] =>
  nodes.flatMap((node) => [node, ...(node.schematic === undefined ? [] : nodesOf(node.schematic))]);

import type { TSchema } from "@sinclair/typebox";

import type { Schematic, SchematicNode } from "#core/flow/schematic.js";
import type { TracedRequest } from "#core/timeline/recorder.js";
import { type RouteMasks, routeMasks } from "#http/description/route-masks.js";
import type { Part } from "#http/input/extractor.js";
import type { RouteInfo } from "#http/plan/route-info.js";
import type { RedactorBounds } from "#schema/redaction/redacted-copy.js";
import { compileRedactor, type Redactor } from "#schema/redaction/redactor.js";

export interface DrawnNode {
  readonly label: string;
  readonly kind: string;
}

type Side = "input" | "output";

interface Drawn extends DrawnNode {
  readonly isOffloaded: boolean;
  readonly schemas: { readonly input: TSchema | undefined; readonly output: TSchema | undefined };
  readonly redactors: { input?: Redactor; output?: Redactor };
}

/** Labels, kinds and redactors of the nodes of all circuits, from their Schematics. */
export class DrawnNodes {
  readonly #routes: () => readonly RouteInfo[];
  readonly #bounds: RedactorBounds;
  #drawn: Index | undefined;
  #names: ReadonlySet<string> | undefined;
  #bare: Redactor | undefined;
  readonly #ofSchemas = new WeakMap<TSchema, Redactor>();
  readonly #masks = new Map<string, RouteMasks>();

  /** `routes` is called once, for the first run. */
  constructor(routes: () => readonly RouteInfo[], bounds: RedactorBounds = {}) {
    this.#routes = routes;
    this.#bounds = bounds;
  }

  of(circuit: string, node: string): DrawnNode {
    const { label = node, kind = "Atom" } = this.#find(circuit, node) ?? {};
    return { label, kind };
  }

  /** Whether a thread of the pool does its work. */
  isOffloaded(circuit: string, node: string): boolean {
    return this.#find(circuit, node)?.isOffloaded === true;
  }

  /** For the input or output of a node. */
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

  /** For a value with a schema that is none of a node. */
  redactorOf(schema: TSchema): Redactor {
    const known = this.#ofSchemas.get(schema);
    if (known !== undefined) return known;
    const made = compileRedactor({ ...this.#bounds, schema, names: this.#markedNames() });
    this.#ofSchemas.set(schema, made);
    return made;
  }

  /** For a value without a schema: hides the names that any schema of the server marks. */
  redactorOfNames(): Redactor {
    this.#bare ??= compileRedactor({ ...this.#bounds, names: this.#markedNames() });
    return this.#bare;
  }

  /** How the parts of a request are masked. */
  route({ method, route = "" }: Pick<TracedRequest, "method" | "route">): RouteMasks {
    const key = `${method} ${route}`;
    const known = this.#masks.get(key);
    if (known !== undefined) return known;
    const methods = method === "HEAD" ? ["HEAD", "GET"] : [method];
    const found = this.#routes().find((each) => each.path === route && methods.includes(each.method));
    const made = routeMasks(found, (options) =>
      compileRedactor({ ...this.#bounds, ...options, names: this.#markedNames() }),
    );
    // Without a route the method is the client's.
    if (found !== undefined) this.#masks.set(key, made);
    return made;
  }

  /** For the value of a compensation: the input and the output of its step, each by its own schema. */
  redactorOfCompensation(circuit: string, node: string): Redactor {
    const bare = this.redactorOfNames();
    const redactors = {
      input: this.redactor(circuit, node, "input"),
      output: this.redactor(circuit, node, "output"),
    };
    return {
      ...bare,
      redact: (value, name) => {
        const given = membersOf(value);
        if (given === undefined) return bare.redact(value, name);
        const input = redactors.input.redact(given.input, name);
        const output = redactors.output.redact(given.output, name);
        return {
          value: { input: input.value, output: output.value },
          isCut: input.isCut || output.isCut,
          isExact: input.isExact && output.isExact,
        };
      },
    };
  }

  #find(circuit: string, node: string): Drawn | undefined {
    this.#drawn ??= indexed(this.#routes().flatMap(schematicsOf));
    return this.#drawn.get(circuit)?.get(node);
  }

  #markedNames(): ReadonlySet<string> {
    this.#names ??= new Set(
      [...new Set(this.#routes().flatMap(schemasOf))].flatMap((schema) => [
        ...compileRedactor({ schema }).names,
      ]),
    );
    return this.#names;
  }
}

/** Of a dead letter; undefined if a store has returned another value. */
function membersOf(value: unknown): { readonly input: unknown; readonly output: unknown } | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { input, output } = Object.getOwnPropertyDescriptors(value as { input?: unknown; output?: unknown });
  return input === undefined ? undefined : { input: input.value, output: output?.value };
}

const schematicsOf = ({ schematic, webSocket }: RouteInfo): readonly Schematic[] => [
  schematic,
  ...(webSocket === undefined ? [] : [webSocket.message]),
  ...(webSocket?.close === undefined ? [] : [webSocket.close]),
];

/** All schemas of a route. */
function schemasOf(route: RouteInfo): readonly TSchema[] {
  const nodes = schematicsOf(route).flatMap(nodesOf);
  const drawn = nodes.flatMap(({ input_schema, output_schema }) => [input_schema, output_schema]);
  const said = [route.output, route.webSocket?.schema, ...Object.values(route.responseSchemas)];
  const given = route.input === undefined ? [] : partSchemas(route.input);
  return [...drawn, ...said, ...given].filter((schema) => schema !== undefined);
}

function partSchemas(part: Part): readonly TSchema[] {
  if (part.kind === "combine") return Object.values(part.parts).flatMap(partSchemas);
  return "schema" in part ? [part.schema] : [];
}

type Index = ReadonlyMap<string, ReadonlyMap<string, Drawn>>;

function indexed(schematics: readonly Schematic[]): Index {
  const all = new Map<string, Map<string, Drawn>>();
  for (const schematic of schematics) {
    const nodes = all.get(schematic.name) ?? new Map<string, Drawn>();
    all.set(schematic.name, nodes);
    for (const node of nodesOf(schematic)) {
      const { id, label, kind, offload, input_schema: given, output_schema: made } = node;
      // At both ends of an Axon the output is the input.
      const isEnd = kind === "Ingress" || kind === "Egress";
      const schemas = isEnd
        ? { input: given ?? made, output: given ?? made }
        : { input: given, output: made };
      const isOffloaded = offload !== undefined;
      if (!nodes.has(id)) nodes.set(id, { label, kind, isOffloaded, schemas, redactors: {} });
    }
  }
  return all;
}

const nodesOf = ({ nodes }: Schematic): readonly SchematicNode[] =>
  nodes.flatMap((node) => [node, ...(node.schematic === undefined ? [] : nodesOf(node.schematic))]);

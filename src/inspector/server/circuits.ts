// The mounted routes and circuits, as the Inspector's API returns them.

import { isDeepStrictEqual } from "node:util";

import type { TSchema } from "@sinclair/typebox";
import { Type } from "@sinclair/typebox";
import type { Schematic, SchematicNode } from "#core/flow/schematic.js";
import type { TracedRequest } from "#core/timeline/recorder.js";
import type { Part } from "#http/input/extractor.js";
import type { RouteInfo } from "#http/plan/route-info.js";
import { literalText } from "#http/routing/pattern.js";
import { listedMarks } from "#schema/redaction/listed-marks.js";
import type { CircuitRow, ClassifiedNodeField, Route } from "../api/circuits.js";
import { inputSchemas } from "./input-schemas.js";

interface Known {
  readonly kind: CircuitRow["kind"];
  readonly schematic: Schematic;
  readonly routes: string[];
  /** The input schema declared by the routes, if all declare the same one. */
  given: TSchema | undefined;
  /** By node; computed at the first request. */
  inputs?: ReadonlyMap<string, TSchema>;
}

export class Circuits {
  readonly #routes: () => readonly RouteInfo[];
  #last: readonly RouteInfo[] | undefined;
  #known: ReadonlyMap<string, Known> = new Map();

  /** Calls `routes` each time: the counts of refused identities change. */
  constructor(routes: () => readonly RouteInfo[]) {
    this.#routes = routes;
  }

  routes(): readonly Route[] {
    return this.#routes().map(routeOf);
  }

  /** Undefined for an unknown route. `schema` is undefined for a route without an input schema. */
  inputOf(method: string, path: string): { readonly schema: TSchema | undefined } | undefined {
    const route = this.#routes().find((each) => each.method === method && each.path === path);
    return route && { schema: bodySchema(route.input) ?? parameterSchema(route.input) };
  }

  /** The route whose pattern matches the request; undefined for none. */
  serving(method: string, path: string): Pick<RouteInfo, "axon" | "path"> | undefined {
    const segments = path.split("/");
    const fits = (pattern: string): boolean => {
      const parts = pattern.split("/");
      const rest = parts.findIndex((part) => part.startsWith("*"));
      if (rest < 0 ? parts.length !== segments.length : segments.length <= rest) return false;
      return parts.every(
        (part, i) => (rest >= 0 && i >= rest) || part.startsWith(":") || literalText(part) === segments[i],
      );
    };
    return this.#routes().find((route) => route.method === method && fits(route.path));
  }

  /** Time limit of a request's run, in milliseconds; undefined for a run on a connection. */
  timeoutMsOf(
    circuit: string,
    { method, route }: Pick<TracedRequest, "method" | "route">,
  ): number | undefined {
    const methods = route === undefined ? ["*"] : method === "HEAD" ? ["HEAD", "GET"] : [method];
    const serves = (each: RouteInfo): boolean =>
      each.axon === circuit && methods.includes(each.method) && (route ?? each.path) === each.path;
    return this.#routes().find(serves)?.timeoutMs;
  }

  names(): readonly string[] {
    return [...this.#all().keys()];
  }

  schematics(): readonly Schematic[] {
    return [...this.#all().values()].map(({ schematic }) => schematic);
  }

  /** Undefined for an unknown circuit. */
  get(
    name: string,
    watched: (circuit: string) => CircuitRow["watched"],
  ):
    | {
        readonly circuit: CircuitRow;
        readonly schematic: Schematic;
        readonly classified: readonly ClassifiedNodeField[];
      }
    | undefined {
    const known = this.#all().get(name);
    if (known === undefined) return undefined;
    const { schematic, kind, routes } = known;
    const circuit: CircuitRow = {
      name,
      version: schematic.version,
      routes,
      kind,
      node_count: nodesOf(schematic).length,
      watched: watched(name),
    };
    return { circuit, schematic, classified: nodesOf(schematic).flatMap(classifiedIn) };
  }

  /** The input schema of a node: its own, or that of a node which receives the Axon's input first. */
  schemaOf(circuit: string, node: string): TSchema | undefined {
    const known = this.#all().get(circuit);
    if (known === undefined) return undefined;
    known.inputs ??= inputSchemas(known.schematic, known.given);
    return known.inputs.get(node);
  }

  /** By name. If several routes run one Axon, the first route's entry is drawn. */
  #all(): ReadonlyMap<string, Known> {
    const routes = this.#routes();
    if (routes === this.#last) return this.#known;
    const known = new Map<string, Known>();
    const add = (schematic: Schematic, kind: Known["kind"], route: string, given?: TSchema): void => {
      const before = known.get(schematic.name);
      if (before === undefined) known.set(schematic.name, { kind, schematic, routes: [route], given });
      else {
        before.routes.push(route);
        // The routes' declarations differ: neither applies to all runs.
        if (before.given !== given && !isDeepStrictEqual(before.given, given)) before.given = undefined;
      }
    };
    for (const { method, path, schematic, input, webSocket } of routes) {
      const route = `${method} ${path}`;
      add(schematic, method === "*" ? "fallback" : "route", route, valueSchema(input));
      if (webSocket === undefined) continue;
      add(webSocket.message, "connection", route);
      if (webSocket.close !== undefined) add(webSocket.close, "connection", route);
    }
    this.#last = routes;
    this.#known = known;
    return known;
  }
}

/** Includes the nodes of subgraphs. */
function nodesOf({ nodes }: Schematic): readonly SchematicNode[] {
  return nodes.flatMap((node) => [node, ...(node.schematic === undefined ? [] : nodesOf(node.schematic))]);
}

function routeOf(route: RouteInfo): Route {
  const { method, path, axon, layers, guards, iam, input, output, schematic, webSocket } = route;
  const inputs = inputSchemas(schematic, valueSchema(input));
  return {
    method,
    path,
    circuit: axon,
    layers: [...layers],
    guards: [...guards],
    iam:
      iam === undefined
        ? null
        : {
            policy: iam.policy,
            verifier: iam.verifier,
            token: iam.token,
            weakened: iam.weakened ?? null,
            counts: { ...iam.counts },
          },
    input_schema: bodySchema(input) ?? null,
    body_type: bodyType(input) ?? null,
    parameters_schema: parameterSchema(input) ?? null,
    input_from: fromOf(input),
    output_schema: output ?? null,
    nodes: nodesOf(schematic)
      .filter(({ id, output_schema }) => inputs.has(id) || output_schema !== undefined)
      .map(({ id, label, output_schema }) => ({
        node: id,
        label,
        input_schema: inputs.get(id) ?? null,
        output_schema: output_schema ?? null,
      })),
    summary: route.summary ?? null,
    tags: [...route.tags],
    body_limit: route.bodyLimit,
    is_web_socket: webSocket !== undefined,
  };
}

const FROM: Readonly<Record<Exclude<Part["kind"], "combine">, readonly string[]>> = {
  json: ["body"],
  form: ["body"],
  text: ["body"],
  bytes: ["body"],
  multipart: ["body"],
  stream: ["body"],
  path: ["path"],
  query: ["query"],
  parameters: ["path", "query"],
  header: ["header"],
  cookie: ["cookie"],
};

function fromOf(part: Part | undefined): string[] {
  if (part === undefined) return [];
  if (part.kind !== "combine") return [...FROM[part.kind]];
  return [...new Set(Object.values(part.parts).flatMap(fromOf))];
}

const BODY_TYPES: Readonly<Partial<Record<Part["kind"], string>>> = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  text: "text/plain",
  multipart: "multipart/form-data",
};

function bodyType(part: Part | undefined): string | undefined {
  if (part?.kind !== "combine") return part && BODY_TYPES[part.kind];
  return Object.values(part.parts)
    .map(bodyType)
    .find((type) => type !== undefined);
}

/** Schema of a JSON or form body. */
function bodySchema(part: Part | undefined): TSchema | undefined {
  if (part?.kind === "json" || part?.kind === "form") return part.schema;
  if (part?.kind !== "combine") return undefined;
  return Object.values(part.parts)
    .map(bodySchema)
    .find((schema) => schema !== undefined);
}

/** Schema of path and query together. */
function parameterSchema(part: Part | undefined): TSchema | undefined {
  if (part?.kind === "path" || part?.kind === "query" || part?.kind === "parameters") return part.schema;
  if (part?.kind !== "combine") return undefined;
  const parts = Object.values(part.parts).flatMap((each) =>
    each.kind === "path" || each.kind === "query" || each.kind === "parameters" ? [each.schema] : [],
  );
  return parts.length === 0 ? undefined : Type.Composite(parts);
}

/** Schema of the first step's input; undefined if one part has no schema. */
function valueSchema(part: Part | undefined): TSchema | undefined {
  switch (part?.kind) {
    case "json":
    case "form":
    case "path":
    case "query":
    case "parameters":
    case "header":
    case "cookie":
      return part.schema;
    case "combine": {
      const parts = Object.entries(part.parts).map(([name, each]) => [name, valueSchema(each)] as const);
      return Type.Object(Object.fromEntries(parts.map(([name, schema]) => [name, schema ?? Type.Unknown()])));
    }
    default:
      return undefined;
  }
}

/** The fields that the schemas of a node mark. */
const classifiedIn = ({ id, input_schema, output_schema }: SchematicNode): readonly ClassifiedNodeField[] =>
  (
    [
      ["input", input_schema],
      ["output", output_schema],
    ] as const
  ).flatMap(([side, schema]) =>
    schema === undefined
      ? []
      : listedMarks(schema).map(({ pointer, level, category = null }) => ({
          ...{ node: id, side, pointer, level, category },
        })),
  );

// Mounted routes and the circuits they run.

import { type Static, Type } from "@sinclair/typebox";

import type { Schematic as CoreSchematic } from "#core/flow/schematic.js";
import { Count, closed, envelope, JsonSchema, Name, oneOf, orNull, Text } from "./shapes.js";

/** One node of a route's circuit that has a schema. */
const NodeSchemas = Type.Object(
  { node: Name, label: Name, input_schema: orNull(JsonSchema), output_schema: orNull(JsonSchema) },
  closed,
);

/** The identity policy of a route, and the count of each result. */
const RouteIam = Type.Object(
  {
    policy: Name,
    verifier: Text,
    token: Name,
    weakened: orNull(Text),
    counts: Type.Record(Type.String(), Count),
  },
  closed,
);

export const Route = Type.Object(
  {
    /** "*" for the fallback. */
    method: Name,
    /** The pattern: "/orders/:id". */
    path: Name,
    circuit: Name,
    layers: Type.Array(Name),
    /** In the order in which they run. */
    guards: Type.Array(Name),
    iam: orNull(RouteIam),
    /** Of the body, where the route reads one as JSON or a form. */
    input_schema: orNull(JsonSchema),
    /** The media type of the body that the route reads; null where it reads none, or any. */
    body_type: orNull(Name),
    /** Of path and query together, where the route reads them by a schema. */
    parameters_schema: orNull(JsonSchema),
    /** Where the input comes from: "body", "query", "path" and their like; empty where there is none. */
    input_from: Type.Array(Name),
    output_schema: orNull(JsonSchema),
    nodes: Type.Array(NodeSchemas),
    summary: orNull(Text),
    tags: Type.Array(Text),
    body_limit: Count,
    is_web_socket: Type.Boolean(),
  },
  closed,
);
export type Route = Static<typeof Route>;

export const Routes = envelope("routes", Type.Object({ routes: Type.Array(Route) }, closed));

/** Identifies a route by its method and pattern, as in Route. */
export const RouteRef = Type.Object({ method: Name, path: Name }, closed);

/** Schema of the body, or of path and query together. */
export const RouteSchema = envelope(
  "route_schema",
  Type.Object({ method: Name, path: Name, schema: JsonSchema, template: Type.Unknown() }, closed),
);

export const SampleRequest = Type.Object(
  {
    method: Name,
    path: Name,
    /** The same seed gives the same sample. Default: random, returned in the response. */
    seed: Type.Optional(Type.Integer({ minimum: 0, maximum: 0xffff_ffff })),
    /** `edge`: a boundary value, which is valid, or a near miss, which is not. Default random. */
    mode: Type.Optional(oneOf("random", "edge")),
  },
  closed,
);

export const RouteSample = envelope(
  "route_sample",
  Type.Object(
    {
      method: Name,
      path: Name,
      mode: oneOf("random", "edge"),
      seed: Count,
      sample: Type.Unknown(),
      is_valid: Type.Boolean(),
      /** For an edge: the value at or beyond a bound, "/lines/0/qty: below its minimum of 1". */
      note: orNull(Text),
    },
    closed,
  ),
);

/** A circuit's Schematic. Its own JSON Schema is docs/schematic.schema.json. */
const Schematic = Type.Unsafe<CoreSchematic>(Type.Record(Type.String(), Type.Unknown()));

export const CircuitRow = Type.Object(
  {
    name: Name,
    version: Text,
    /** The routes that run it: "POST /orders". */
    routes: Type.Array(Name),
    /** `connection`: runs on a WebSocket. */
    kind: oneOf("route", "fallback", "connection"),
    node_count: Count,
    /** The current recording mode of its runs. */
    watched: oneOf("off", "counted", "sampled", "all"),
  },
  closed,
);
export type CircuitRow = Static<typeof CircuitRow>;

export const Schematics = envelope("schematics", Type.Object({ circuits: Type.Array(CircuitRow) }, closed));
/** A field that the schema of a node marks as sensitive or public. */
export const ClassifiedNodeField = Type.Object(
  {
    node: Name,
    side: oneOf("input", "output"),
    /** A JSON Pointer, with `*` for any item; empty for the whole value. */
    pointer: Text,
    level: oneOf("public", "internal", "confidential", "restricted"),
    category: orNull(Text),
  },
  closed,
);
export type ClassifiedNodeField = Static<typeof ClassifiedNodeField>;

export const OneSchematic = envelope(
  "schematic",
  Type.Object(
    { circuit: CircuitRow, schematic: Schematic, classified: Type.Array(ClassifiedNodeField) },
    closed,
  ),
);

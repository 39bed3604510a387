import { randomInt } from "node:crypto";
import type { TSchema } from "@sinclair/typebox";
import { Type } from "@sinclair/typebox";

import type { Fault } from "#core/bus/outcome.js";
import { isFault } from "#core/bus/outcome.js";
import {
  OneSchematic,
  RouteRef,
  RouteSample,
  RouteSchema,
  Routes,
  SampleRequest,
  Schematics,
} from "../api/circuits.js";
import { type InspectorFault, inspectorFault } from "../api/fault.js";
import { Name } from "../api/shapes.js";
import { type Endpoint, endpoint } from "./endpoint.js";
import type { InspectorParts } from "./parts.js";

const ByName = Type.Object({ name: Name }, { additionalProperties: false });

export const circuitEndpoints = (parts: InspectorParts): readonly Endpoint[] => [
  endpoint({
    route: "GET /api/v1/routes",
    role: "viewer",
    summary: "The routes with their guards, identity and schemas",
    gives: Routes,
    run: () => ({ routes: parts.circuits.routes() }),
  }),
  endpoint({
    route: "POST /api/v1/routes/schema",
    role: "viewer",
    summary: "The schema of a route's input, with an empty template",
    takes: RouteRef,
    gives: RouteSchema,
    run: ({ method, path }) => {
      const schema = schemaOf(parts, method, path);
      if (isFault(schema)) return schema;
      const drawn = parts.samples.template(schema);
      return isFault(drawn) ? drawn : { method, path, schema, ...drawn };
    },
  }),
  endpoint({
    route: "POST /api/v1/routes/sample",
    role: "viewer",
    summary: "A sample of a route's input; with mode edge one at or just beyond a bound",
    takes: SampleRequest,
    gives: RouteSample,
    run: ({ method, path, seed = randomInt(0x1_0000_0000), mode = "random" }) => {
      const schema = schemaOf(parts, method, path);
      if (isFault(schema)) return schema;
      const drawn = parts.samples.sample(schema, mode, seed);
      return isFault(drawn) ? drawn : { method, path, mode, seed, ...drawn };
    },
  }),
  endpoint({
    route: "GET /api/v1/schematics",
    role: "viewer",
    summary: "The mounted circuits",
    gives: Schematics,
    run: () => ({
      circuits: parts.circuits
        .names()
        .flatMap((name) => parts.circuits.get(name, parts.watched)?.circuit ?? []),
    }),
  }),
  endpoint({
    route: "GET /api/v1/schematics/:name",
    role: "viewer",
    summary: "A circuit with its Schematic",
    takes: ByName,
    gives: OneSchematic,
    run: ({ name }) => parts.circuits.get(name, parts.watched) ?? circuitUnknown(name),
  }),
];

export const circuitUnknown = (name: string): Fault<InspectorFault> =>
  inspectorFault("CIRCUIT_UNKNOWN", { detail: `No route runs a circuit '${name}'` });

function schemaOf(
  { circuits }: InspectorParts,
  method: string,
  path: string,
): TSchema | Fault<InspectorFault> {
  const input = circuits.inputOf(method, path);
  if (input === undefined) return inspectorFault("ROUTE_UNKNOWN", { detail: `${method} ${path}` });
  return (
    input.schema ??
    inspectorFault("SCHEMA_UNKNOWN", { detail: `${method} ${path} takes no JSON, form or parameters` })
  );
}

import type { TSchema } from "@sinclair/typebox";

import { type AxonDefinition, allStepsOf, type StepDefinition } from "#runtime/definition/axon-definition.js";
import { markedPlaces } from "#schema/redaction/marked-places.js";
import type { Part } from "../../input/extractor.js";
import type { IngressPlan } from "../../plan/ingress-plan.js";
import type { RouteDefinition } from "../../plan/route-definition.js";

/** Names of properties that any schema of the ingress marks as Sensitive. */
export function sensitiveNames({ routes, fallback }: IngressPlan): ReadonlySet<string> {
  const served = fallback === undefined ? routes : [...routes, fallback];
  const schemas = new Set(served.flatMap(schemasOf));
  return new Set(
    [...schemas].flatMap((schema) => (schema === undefined ? [] : [...(markedPlaces(schema)?.names ?? [])])),
  );
}

type Schemas = readonly (TSchema | undefined)[];

function schemasOf({ axon, input, responseSchemas, webSocket }: RouteDefinition): Schemas {
  const opened = webSocket === undefined ? [] : [webSocket.schema, ...axonSchemas(webSocket.message)];
  const closed = webSocket?.close === undefined ? [] : axonSchemas(webSocket.close);
  const given = input === undefined ? [] : partSchemas(input);
  return [...axonSchemas(axon), ...given, ...Object.values(responseSchemas), ...opened, ...closed];
}

function partSchemas(part: Part): Schemas {
  if (part.kind === "combine") return Object.values(part.parts).flatMap(partSchemas);
  return "schema" in part ? [part.schema] : [];
}

const axonSchemas = (axon: AxonDefinition): Schemas => [
  axon.input,
  axon.output,
  ...allStepsOf(axon).flatMap(stepSchemas),
];

const stepSchemas = ({ transition, body, branches }: StepDefinition): Schemas => [
  transition.input,
  transition.output,
  ...(body.kind === "subgraph" ? axonSchemas(body.axon) : []),
  ...(body.kind === "parallel" ? body.steps.flatMap(stepSchemas) : []),
  ...[...branches.values()].flatMap(axonSchemas),
];

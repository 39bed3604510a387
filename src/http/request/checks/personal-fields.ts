// Unmarked fields of mounted schemas whose names say personal data: reported once, when
// a server starts.

import type { TSchema } from "@sinclair/typebox";

import { unmarkedFields } from "#compliance/detection/unmarked-fields.js";
import type { Part } from "../../input/extractor.js";
import type { IngressPlan } from "../../plan/ingress-plan.js";
import type { RouteDefinition } from "../../plan/route-definition.js";
import { declaredInput } from "../../plan/route-input.js";

const MAX_NAMED = 10;

type Named = readonly (readonly [place: string, schema: TSchema | undefined])[];

const PLACES = { json: "body", form: "body", parameters: "parameters" } as const;

export function reportPersonalFields({ routes, reporter }: Pick<IngressPlan, "routes" | "reporter">): void {
  const fields = [...new Set(routes.flatMap(fieldsOf))];
  if (fields.length === 0) return;
  const more = fields.length > MAX_NAMED ? `, and ${fields.length - MAX_NAMED} more` : "";
  const message = `${fields.length} ${fields.length === 1 ? "field has a name" : "fields have names"} of personal data and no mark: ${fields.slice(0, MAX_NAMED).join(", ")}${more}. Mark each by Sensitive(schema, { category }), or by Public(schema) where it is none`;
  reporter({ code: "PERSONAL_DATA_UNMARKED", message });
}

function fieldsOf(route: RouteDefinition): readonly string[] {
  const { axon, method, pattern } = route;
  return schemasOf(route).flatMap(([place, schema]) =>
    schema === undefined
      ? []
      : unmarkedFields(schema).map(
          ({ pointer }) => `${axon.name} ${method} ${pattern.text} ${place}${pointer}`,
        ),
  );
}

function schemasOf(route: RouteDefinition): Named {
  const { axon, responseSchemas, webSocket } = route;
  const part = declaredInput(route);
  const given = part === undefined ? [] : partSchemas(part);
  return [
    ...given,
    ...(given.some(([, schema]) => schema === axon.input) ? [] : [["input", axon.input] as const]),
    ["message", webSocket?.schema],
    ["output", axon.output],
    ...Object.entries(responseSchemas).map(([status, schema]) => [status, schema] as const),
  ];
}

function partSchemas(part: Part): Named {
  if (part.kind === "combine") return Object.values(part.parts).flatMap(partSchemas);
  if (part.kind === "multipart") return [["body", part.options.schema]];
  if (!("schema" in part)) return [];
  return [[PLACES[part.kind as keyof typeof PLACES] ?? part.kind, part.schema]];
}

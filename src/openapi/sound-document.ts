// What must hold of a written document: each reference leads to a component, and no schema brings a name
// of its own, by which references would be read.

import { FrameworkError } from "#core/errors.js";
import type { OpenApiDocument } from "./open-api-options.js";

/** Keywords whose values are data of the program, and extensions without schemas. */
const DATA = /^(?:example|examples|default|const|enum|info|servers|x-(?!framework-(?:sse|ws)$).*)$/;
/** Keywords whose values have names of the program as keys. */
const MAPS = new Set(
  "properties patternProperties schemas responses headers paths securitySchemes".split(" "),
);
const NAMES = ["$id", "$defs", "$anchor"];

/** Throws OPENAPI_INVALID. */
export function requireSound(document: OpenApiDocument): void {
  walk(
    document,
    "",
    (what, pointer) => {
      throw new FrameworkError(
        "OPENAPI_INVALID",
        `The document at '${pointer}': ${what}; write the schema with Type, and names with $id or a Type.Module`,
      );
    },
    document,
  );
}

type Refuse = (what: string, pointer: string) => void;

function walk(value: unknown, pointer: string, refuse: Refuse, document: OpenApiDocument): void {
  if (typeof value !== "object" || value === null) return;
  for (const [keyword, part] of Object.entries(value)) {
    const at = `${pointer}/${keyword.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (keyword === "$ref" && !leads(part, document)) refuse(`$ref '${String(part)}' leads nowhere`, at);
    if (NAMES.includes(keyword)) refuse(`${keyword} stands in a schema`, at);
    if (DATA.test(keyword)) continue;
    if (MAPS.has(keyword) && typeof part === "object" && part !== null && !Array.isArray(part))
      for (const [name, inner] of Object.entries(part)) walk(inner, `${at}/${name}`, refuse, document);
    else walk(part, at, refuse, document);
  }
}

/** Components have names without escapes. */
function leads(reference: unknown, document: OpenApiDocument): boolean {
  if (typeof reference !== "string" || !reference.startsWith("#/")) return false;
  let value: unknown = document;
  for (const step of reference.slice(2).split("/")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return false;
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  return true;
}

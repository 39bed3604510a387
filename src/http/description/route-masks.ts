// How the parts of a route's requests and responses are masked: by the schemas of its input and
// output, and by names.

import type { TSchema } from "@sinclair/typebox";

import { isHiddenName } from "#core/secrets/sensitive-names.js";
import { markedPlaces } from "#schema/redaction/marked-places.js";
import { compileRedactor, type Redactor } from "#schema/redaction/redactor.js";
import type { Part } from "../input/extractor.js";
import type { RouteInfo } from "../plan/route-info.js";

/** A response is stored beside the output of the last step, mostly the same value. */
const MAX_RESPONSE_BYTES = 8192;

export interface RouteMasks {
  readonly body: Redactor;
  /** The member of the input that is made of the body; undefined if the input is. */
  readonly bodyName: string | undefined;
  /** Names that the body's schema declares, and nothing hides. */
  readonly keys: ReadonlySet<string>;
  readonly query: Redactor;
  /** In lower case. */
  readonly hiddenHeaders: ReadonlySet<string>;
  readonly response: (status: number) => Redactor;
}

export type RedactorMaker = (options: { readonly schema?: TSchema; readonly maxBytes?: number }) => Redactor;

export function routeMasks(route: RouteInfo | undefined, redactorOf: RedactorMaker): RouteMasks {
  const parts = route?.input === undefined ? [] : partsOf(route.input);
  const body = parts.find(({ part }) => BODIES.has(part.kind));
  const schemaOf = (...kinds: readonly Part["kind"][]): TSchema | undefined =>
    parts
      .map(({ part }) => (kinds.includes(part.kind) && "schema" in part ? part.schema : undefined))
      .find(Boolean);
  const schema = schemaOf("json", "form");
  const query = schemaOf("query", "parameters");
  const headers = schemaOf("header");
  const sent = new Map<number, Redactor>();
  return {
    body: redactorOf({ ...(schema && { schema }) }),
    bodyName: body?.name,
    keys: new Set(shownKeys(schema)),
    query: redactorOf({ ...(query && { schema: query }) }),
    hiddenHeaders: new Set(
      [...(headers === undefined ? [] : compileRedactor({ schema: headers }).names)].map((name) =>
        name.toLowerCase(),
      ),
    ),
    response: (status) => {
      const known = sent.get(status);
      if (known !== undefined) return known;
      const of = route?.responseSchemas[status] ?? (status < 300 ? route?.output : undefined);
      const made = redactorOf({ maxBytes: MAX_RESPONSE_BYTES, ...(of && { schema: of }) });
      sent.set(status, made);
      return made;
    },
  };
}

const BODIES: ReadonlySet<Part["kind"]> = new Set(["json", "form", "text", "bytes", "multipart", "stream"]);

const partsOf = (part: Part): readonly { readonly name: string | undefined; readonly part: Part }[] =>
  part.kind === "combine"
    ? Object.entries(part.parts).flatMap(([name, inner]) => partsOf(inner).map((each) => ({ ...each, name })))
    : [{ name: undefined, part }];

function shownKeys(schema: TSchema | undefined): readonly string[] {
  const places = schema && markedPlaces(schema)?.root;
  const names = Object.keys((schema?.["properties"] as object | undefined) ?? {});
  return names.filter((name) => !isHiddenName(name) && places?.property(name)?.isMarked !== true);
}

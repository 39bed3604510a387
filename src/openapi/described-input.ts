// Parameters and body of an operation, of the route's extractor and of what its steps read of the head.

import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import type { Part } from "#http/input/extractor.js";
import type { FileOptions, FilesByName } from "#http/input/multipart/named-files.js";
import type { MultipartOptions } from "#http/input/multipart/options.js";
import type { RouteInfo } from "#http/plan/route-info.js";
import type { Parameter, ParameterPlace, RequestBody } from "./operation.js";

/** What browsers, clients and proxies set themselves, and what OpenAPI says elsewhere. */
const UNLISTED = new RegExp(
  `^(?:${[
    "accept|accept-charset|accept-encoding|authorization|connection|content-(?:encoding|length|type)",
    "cookie|date|expect|forwarded|host|keep-alive|origin|referer|te|trailer|transfer-encoding|upgrade",
    "user-agent|via|trace(?:parent|state)|(?:sec|proxy|access-control|x-forwarded)-.*",
  ].join("|")})$`,
);

export function parametersOf(route: RouteInfo): readonly Parameter[] {
  const { input, reads, admits, path } = route;
  const found = new Map<string, Parameter>();
  const add = (parameter: Parameter): void => {
    const name = parameter.in === "header" ? parameter.name.toLowerCase() : parameter.name;
    const id = `${parameter.in} ${name}`;
    const known = found.get(id);
    if (known === undefined) found.set(id, parameter);
    else if (parameter.required && !known.required) found.set(id, { ...known, required: true });
  };
  const inPath = path.split("/").flatMap((segment) => /^[:*](.+)$/s.exec(segment)?.[1] ?? []);
  const read = input === undefined ? [] : listed(input, inPath);
  // In the order of the path, whatever reads them.
  for (const name of inPath) {
    const declared = read.find((each) => each.in === "path" && each.name === name);
    add(declared ?? { in: "path", name, required: true, schema: undefined });
  }
  for (const parameter of read) if (parameter.in !== "path") add(parameter);
  const credentials = admits.map(({ credential }) => `${credential?.in} ${credential?.name.toLowerCase()}`);
  for (const { in: place, name, required } of reads) {
    const isListed = place === "cookie" || !UNLISTED.test(name);
    if (isListed && !credentials.includes(`${place} ${name.toLowerCase()}`))
      add({ in: place, name, required, schema: undefined });
  }
  return [...found.values()];
}

function listed(part: Part, inPath: readonly string[]): readonly Parameter[] {
  switch (part.kind) {
    case "path":
    case "query":
    case "header":
    case "cookie":
      return ofProperties(part.kind, part.schema);
    case "parameters":
      return ofProperties("query", part.schema).map((each) =>
        inPath.includes(each.name) ? { ...each, in: "path", required: true } : each,
      );
    case "combine":
      return Object.values(part.parts).flatMap((inner) => listed(inner, inPath));
    default:
      return [];
  }
}

const ofProperties = (place: ParameterPlace, schema: TObject): readonly Parameter[] =>
  Object.entries(schema.properties).map(([name, inner]: [string, TSchema]) => ({
    in: place,
    name,
    // One with a default is filled in.
    required: place === "path" || ((schema.required ?? []).includes(name) && inner.default === undefined),
    schema: inner,
  }));

const of = (media: string, schema: TSchema | undefined, required = true): RequestBody => ({
  required,
  content: [{ media, schema }],
  takesOthers: false,
});

export function bodyOf(
  input: Part | undefined,
  accepted: readonly string[] | undefined,
): RequestBody | undefined {
  switch (input?.kind) {
    case "json":
      return of("application/json", input.schema);
    case "form":
      return of("application/x-www-form-urlencoded", input.schema, isNeeded(input.schema));
    case "multipart":
      return ofForm(input.options);
    case "text":
      return anyOf("text/plain", accepted);
    case "bytes":
    case "stream":
      return anyOf("application/octet-stream", accepted);
    case "combine":
      return Object.values(input.parts)
        .map((part) => bodyOf(part, accepted))
        .find((body) => body !== undefined);
    default:
      return undefined;
  }
}

/** An empty body is one, of any media type. */
const anyOf = (media: string, accepted: readonly string[] | undefined): RequestBody => ({
  required: false,
  content: (accepted ?? [media]).map((each) => ({ media: each, schema: undefined })),
  takesOthers: accepted === undefined,
});

const isNeeded = ({ properties, required = [] }: TObject): boolean =>
  required.some((name) => properties[name]?.default === undefined);

const FORMS = new WeakMap<MultipartOptions, TObject>();

/** Fields and named files. One schema for each extractor: routes that share it share a component. */
function ofForm(options: MultipartOptions): RequestBody {
  const schema = FORMS.get(options) ?? formSchema(options);
  FORMS.set(options, schema);
  const types = Object.entries(namedIn(options)).flatMap(([name, file]) =>
    file.types === undefined ? [] : [[name, file.types.join(", ")] as const],
  );
  const content = { media: "multipart/form-data", schema };
  return {
    required: true,
    content: [types.length === 0 ? content : { ...content, partTypes: Object.fromEntries(types) }],
    takesOthers: false,
  };
}

const namedIn = ({ files }: MultipartOptions): FilesByName => (typeof files === "object" ? files : {});

function formSchema(options: MultipartOptions): TObject {
  const { $id: _id, properties = {}, required = [], ...rest } = options.schema ?? Type.Object({});
  const files = Object.entries(namedIn(options));
  return {
    ...rest,
    properties: {
      ...properties,
      ...Object.fromEntries(files.map(([name, file]) => [name, fileSchema(file)])),
    },
    required: [...required, ...files.filter(([, file]) => file.required).map(([name]) => name)],
    // Without names files come beside the fields: a type for them would be one of the fields too.
    ...(typeof options.files !== "object" && { additionalProperties: Type.Unknown() }),
  } as unknown as TObject;
}

/** OpenAPI counts the length of a binary string in bytes. */
function fileSchema({ maxSize, multiple }: FileOptions): TSchema {
  const file = Type.String({ format: "binary", ...(maxSize !== undefined && { maxLength: maxSize }) });
  return multiple === true ? Type.Array(file) : file;
}

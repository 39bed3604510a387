// An OpenAPI 3.1 document of described operations. What several operations share is a component; keys
// stand in the order in which the program makes them, so that the same program writes the same bytes.

import { FrameworkError } from "#core/errors.js";
import type { Described } from "./describe.js";
import { PROBLEM } from "./described-responses.js";
import { Examples } from "./examples.js";
import { extensionsOf } from "./extensions.js";
import { headerComponents, headerReference } from "./headers.js";
import type { JsonSchema } from "./json-schema.js";
import type { DocumentOptions, OpenApiDocument } from "./open-api-options.js";
import type { Content, Operation, OperationResponse, Parameter } from "./operation.js";
import { everywhere, PROBLEM_REFERENCE, problemContent, problemName, problemSchema } from "./problems.js";
import { pascal, SchemaComponents } from "./schema-components.js";
import { SecuritySchemes } from "./security.js";
import { requireSound } from "./sound-document.js";
import { titleOfStatus } from "./status-titles.js";

const NOT_A_SCHEMA = new Set(["multipart/form-data"]);

/** Throws OPENAPI_INVALID for a schema that cannot be said, and for what `transform` returns. */
export function documentOf(described: Described, options: DocumentOptions = {}): OpenApiDocument {
  const document = new DocumentWriter(options).write(described);
  requireSound(document);
  return options.transform === undefined ? document : transformed(document, options.transform);
}

class DocumentWriter {
  readonly #options: DocumentOptions;
  readonly #schemas = new SchemaComponents({ ProblemDetail: problemSchema });
  readonly #security = new SecuritySchemes();
  readonly #examples = new Examples();
  readonly #responses = new Map<string, object>();
  readonly #headers = new Set<string>();

  constructor(options: DocumentOptions) {
    this.#options = options;
  }

  write({ operations, unlisted }: Described): OpenApiDocument {
    const { info = { title: "API", version: "0.0.0" }, servers = [{ url: "/" }] } = this.#options;
    for (const operation of operations) this.#count(operation);
    const paths: Record<string, Record<string, unknown>> = {};
    for (const operation of operations) {
      paths[operation.template] ??= {};
      (paths[operation.template] as Record<string, unknown>)[operation.method.toLowerCase()] =
        this.#operation(operation);
    }
    this.#responses.set("Problem", {
      description: "A problem",
      content: { [PROBLEM]: { schema: PROBLEM_REFERENCE } },
    });
    const tags = [...new Set(operations.flatMap(({ route }) => route.tags))];
    const securitySchemes = this.#security.all;
    return {
      openapi: "3.1.0",
      info: { ...info, description: [info.description, everywhere].filter(Boolean).join("\n\n") },
      servers,
      ...(tags.length > 0 && { tags: tags.map((name) => ({ name })) }),
      paths,
      ...(unlisted.length > 0 && {
        "x-framework-unlisted": unlisted.map(({ method, path }) => `${method} ${path}`),
      }),
      components: {
        schemas: this.#schemas.all,
        responses: sorted(this.#responses),
        ...(this.#headers.size > 0 && { headers: headerComponents([...this.#headers]) }),
        ...(Object.keys(securitySchemes).length > 0 && { securitySchemes }),
      },
    };
  }

  #count({ parameters, body, responses, route: { events, webSocket } }: Operation): void {
    const contents = [...(body?.content ?? []), ...responses.flatMap(({ content }) => content)];
    const schemas = [...parameters, ...contents].map(({ schema }) => schema);
    for (const schema of [...schemas, events?.schema, webSocket?.schema, webSocket?.output])
      if (schema !== undefined) this.#schemas.count(schema);
  }

  #operation(operation: Operation): object {
    const { id, route, parameters, body, responses, pathNames } = operation;
    const security = this.#security.of(route);
    const written = parameters.map((parameter) => this.#parameter(parameter, operation, pathNames));
    return {
      operationId: id,
      summary: route.summary ?? `${operation.method} ${operation.template}`,
      ...(route.description !== undefined && { description: route.description }),
      ...(route.tags.length > 0 && { tags: route.tags }),
      ...(route.deprecated && { deprecated: true }),
      security: security?.requirements ?? [],
      ...(security !== undefined && security.rules.length > 0 && { "x-framework-policy": security.rules }),
      ...(written.length > 0 && { parameters: written }),
      ...(body !== undefined && {
        requestBody: {
          ...(body.takesOthers && { description: "Any media type is accepted." }),
          required: body.required,
          content: this.#content(body.content, operation, "Body"),
        },
      }),
      responses: {
        ...Object.fromEntries(
          responses.map((response) => [response.status, this.#response(response, operation)]),
        ),
        default: { $ref: "#/components/responses/Problem" },
      },
      ...extensionsOf(
        operation,
        (schema, role) => this.#schemas.write(schema, placeIn(operation, role)),
        this.#options.internals === true,
      ),
    };
  }

  #parameter(
    { in: place, name, required, schema }: Parameter,
    operation: Operation,
    names: readonly string[],
  ): object {
    const { path } = operation;
    const at = pathPosition(path, name);
    const written =
      schema === undefined
        ? { type: "string" }
        : this.#schemas.write(schema, placeIn(operation, `${pascal(place)}${pascal(name)}`));
    const example = schema === undefined ? undefined : this.#examples.of(schema);
    const description = schema?.["description"];
    return {
      name: place === "path" ? (names[at] ?? name) : name,
      in: place,
      ...(typeof description === "string" && { description }),
      ...(place === "path" && path.endsWith(`/*${name}`) && { description: "May contain slashes." }),
      required,
      ...(schema?.["deprecated"] === true && { deprecated: true }),
      schema: written,
      ...(example !== undefined && { example }),
    };
  }

  #content(contents: readonly Content[], operation: Operation, role: string): object {
    return Object.fromEntries(
      contents.map((content) => [content.media, this.#media(content, operation, role)]),
    );
  }

  #media({ media, schema, partTypes = {} }: Content, operation: Operation, role: string): object {
    // Anything is an empty schema: of a response without one, orval generates no type.
    if (schema === undefined) return { schema: media.startsWith("text/") ? { type: "string" } : {} };
    const written = this.#schemas.write(schema, placeIn(operation, role));
    const example = NOT_A_SCHEMA.has(media) ? undefined : this.#examples.of(schema);
    const encoding = Object.entries(partTypes).map(([name, contentType]) => [name, { contentType }]);
    return {
      schema: written,
      ...(example !== undefined && { example }),
      ...(encoding.length > 0 && { encoding: Object.fromEntries(encoding) }),
    };
  }

  #response(response: OperationResponse, operation: Operation): object {
    const { status, content, problems, headers } = response;
    const [first, ...others] = content;
    const isShared = others.length === 0 && first?.media === PROBLEM && first.schema === undefined;
    if (!isShared) return this.#ownResponse(response, operation);
    const name = problemName(status, problems);
    if (!this.#responses.has(name))
      this.#responses.set(name, {
        description: descriptionOf(status, problems),
        ...this.#headersOf(headers),
        content: problemContent(status, problems),
      });
    return { $ref: `#/components/responses/${name}` };
  }

  #ownResponse({ status, content, problems, headers }: OperationResponse, operation: Operation): object {
    const role = status === 200 ? "Response" : `Response${status}`;
    const problem = content.find(({ media }) => media === PROBLEM);
    const others = content.filter(({ media }) => media !== PROBLEM);
    const own: JsonSchema | undefined =
      problem?.schema && this.#schemas.write(problem.schema, placeIn(operation, `Problem${status}`));
    const written = {
      ...(problem !== undefined && problemContent(status, problems, own)),
      ...this.#content(others, operation, role),
    };
    return {
      description: descriptionOf(status, problems),
      ...this.#headersOf(headers),
      ...(content.length > 0 && { content: written }),
    };
  }

  #headersOf(names: readonly string[]): object {
    if (names.length === 0) return {};
    for (const name of names) this.#headers.add(name);
    return { headers: Object.fromEntries(names.map((name) => [name, headerReference(name)])) };
  }
}

const placeIn = ({ method, path, id }: Operation, role: string) => ({
  owner: `${method} ${path}, ${role.toLowerCase()}`,
  name: pascal(id) + role,
});

const pathPosition = (path: string, name: string): number =>
  path
    .split("/")
    .filter((segment) => /^[:*]/.test(segment))
    .findIndex((segment) => segment.slice(1) === name);

const descriptionOf = (status: number, problems: readonly { readonly title?: string }[]): string =>
  problems
    .map(({ title = "" }) => title)
    .filter(Boolean)
    .join("; ") || titleOfStatus(status);

const sorted = (map: ReadonlyMap<string, object>): Readonly<Record<string, object>> =>
  Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)));

function transformed(
  document: OpenApiDocument,
  transform: (document: OpenApiDocument) => OpenApiDocument,
): OpenApiDocument {
  const refuse = (why: string, cause?: unknown): never => {
    throw new FrameworkError(
      "OPENAPI_INVALID",
      `transform of openapi() ${why}: return the document with changes, as in (document) => ({ ...document, externalDocs })`,
      cause === undefined ? undefined : { cause },
    );
  };
  let result: unknown;
  try {
    result = transform(structuredClone(document) as OpenApiDocument);
  } catch (cause) {
    return refuse(`threw: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
  const { openapi, info, paths } = (result ?? {}) as Partial<OpenApiDocument>;
  if (typeof openapi !== "string" || !openapi.startsWith("3.1.")) refuse("returned no OpenAPI 3.1 document");
  if (typeof info?.title !== "string" || typeof info.version !== "string")
    refuse("returned a document whose info has no title and version");
  if (typeof paths !== "object" || paths === null || Object.keys(paths).some((path) => !path.startsWith("/")))
    refuse("returned a document whose paths do not begin with '/'");
  try {
    return JSON.parse(JSON.stringify(result)) as OpenApiDocument;
  } catch (cause) {
    return refuse("returned what has no form in JSON", cause);
  }
}

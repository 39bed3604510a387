// What a new document breaks for clients of an old one.

import { type JsonSchema, misfits, removedProperties, type Side } from "#schema/compile/schema-comparison.js";
import type { OpenApiDocument } from "./open-api-options.js";

type Json = Readonly<Record<string, unknown>>;

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/** A line for each: "POST /orders: body /qty: minimum 5, was minimum 1". */
export function breaks(before: OpenApiDocument, after: OpenApiDocument): readonly string[] {
  return operationsOf(before).flatMap(({ path, method, operation }) => {
    const where = `${method.toUpperCase()} ${path}`;
    const next = (after.paths[path] ?? after.paths[sameShape(path, after)])?.[method] as Json | undefined;
    if (next === undefined) return [`${where}: it is gone`];
    const comparison = new Comparison(before, after);
    return comparison.operation(operation, next).map((what) => `${where}: ${what}`);
  });
}

function operationsOf({ paths }: OpenApiDocument) {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method] !== undefined).map((method) => ({
      path,
      method,
      operation: item[method] as Json,
    })),
  );
}

const shapeOf = (path: string): string => path.replace(/\{[^}]*\}/g, "{}");

/** Names of parameters are not sent. */
const sameShape = (path: string, { paths }: OpenApiDocument): string =>
  Object.keys(paths).find((other) => shapeOf(other) === shapeOf(path)) ?? path;

class Comparison {
  readonly #before: OpenApiDocument;
  readonly #after: OpenApiDocument;

  constructor(before: OpenApiDocument, after: OpenApiDocument) {
    this.#before = before;
    this.#after = after;
  }

  operation(before: Json, after: Json): readonly string[] {
    return [
      ...this.#parameters(before, after),
      ...this.#body(before, after),
      ...this.#responses(before, after),
      ...this.#security(before, after),
    ];
  }

  #parameters(before: Json, after: Json): readonly string[] {
    const known = new Map(parametersOf(before).map((one) => [idOf(one), one]));
    return parametersOf(after).flatMap((parameter) => {
      const old = known.get(idOf(parameter));
      const what = `${String(parameter["in"])} parameter '${String(parameter["name"])}'`;
      if (parameter["in"] === "path") {
        // By its place: the name is not sent.
        const at = pathParameters(after).indexOf(parameter);
        const same = pathParameters(before)[at];
        return same === undefined ? [] : this.#input(same["schema"], parameter["schema"], what);
      }
      if (old === undefined) return parameter["required"] === true ? [`${what} is new, and required`] : [];
      const required =
        parameter["required"] === true && old["required"] !== true ? [`${what} is required`] : [];
      return [...required, ...this.#input(old["schema"], parameter["schema"], what)];
    });
  }

  #body(before: Json, after: Json): readonly string[] {
    const old = resolve(before["requestBody"], this.#before);
    const next = resolve(after["requestBody"], this.#after);
    if (next === undefined) return [];
    const required =
      next["required"] === true && old?.["required"] !== true ? ["a body is required that was not"] : [];
    if (old === undefined) return required;
    const contents = contentOf(next);
    const media = Object.entries(contentOf(old)).flatMap(([type, { schema }]) => {
      const same = contents[type] ?? contents["*/*"];
      if (same === undefined) return [`the body is not taken as ${type} any more`];
      return this.#input(schema, same["schema"], "body");
    });
    return [...required, ...media];
  }

  #responses(before: Json, after: Json): readonly string[] {
    const next = (after["responses"] ?? {}) as Json;
    return Object.entries((before["responses"] ?? {}) as Json).flatMap(([status, response]) => {
      const isSuccess = /^[123]/.test(status);
      const old = resolve(response, this.#before);
      const same = resolve(next[status], this.#after);
      // A refusal that cannot happen any more breaks no client.
      if (same === undefined) return isSuccess ? [`${status} is no response any more`] : [];
      const contents = contentOf(same);
      return Object.entries(contentOf(old)).flatMap(([type, { schema }]) => {
        const media = contents[type];
        if (media === undefined) return [`${status} is not sent as ${type} any more`];
        return this.#output(schema, media["schema"], `response ${status}`);
      });
    });
  }

  /** Every alternative of before has to be enough. */
  #security(before: Json, after: Json): readonly string[] {
    const next = requirementsOf(after, this.#after);
    const isMet = (given: Json): boolean =>
      next.some((wanted) =>
        Object.entries(wanted).every(([scheme, roles]) => {
          const own = given[scheme] as readonly unknown[] | undefined;
          return own !== undefined && (roles as readonly unknown[]).every((role) => own.includes(role));
        }),
      );
    return requirementsOf(before, this.#before).every(isMet)
      ? []
      : [`it asks for more than before: ${JSON.stringify(next)}`];
  }

  /** What was valid has to be valid. */
  #input(before: unknown, after: unknown, what: string): readonly string[] {
    return misfits(sideOf(before, this.#before), sideOf(after, this.#after)).map(
      ({ pointer, sub, sup }) => `${what}${pointer === "" ? "" : ` ${pointer}`}: ${sup}, was ${sub}`,
    );
  }

  /** What is sent has to be what was promised. A client that reads a removed property is not told. */
  #output(before: unknown, after: unknown, what: string): readonly string[] {
    const [old, next] = [sideOf(before, this.#before), sideOf(after, this.#after)];
    return [
      ...misfits(next, old).map(
        ({ pointer, sub, sup }) => `${what}${pointer === "" ? "" : ` ${pointer}`}: ${sub}, was ${sup}`,
      ),
      ...removedProperties(old, next).map((pointer) => `${what} ${pointer}: gone`),
    ];
  }
}

const sideOf = (schema: unknown, document: OpenApiDocument): Side => ({
  schema: schema ?? {},
  named: componentsOf(document, "schemas") as Readonly<Record<string, JsonSchema>>,
});

const parametersOf = (operation: Json): readonly Json[] => (operation["parameters"] ?? []) as readonly Json[];

const pathParameters = (operation: Json): readonly Json[] =>
  parametersOf(operation).filter((parameter) => parameter["in"] === "path");

const idOf = (parameter: Json): string =>
  `${String(parameter["in"])} ${parameter["in"] === "header" ? String(parameter["name"]).toLowerCase() : String(parameter["name"])}`;

const contentOf = (of: Json | undefined): Readonly<Record<string, Json>> =>
  (of?.["content"] ?? {}) as Readonly<Record<string, Json>>;

const requirementsOf = (operation: Json, document: OpenApiDocument): readonly Json[] => {
  const said = (operation["security"] ?? document["security"] ?? []) as readonly Json[];
  return said.length === 0 ? [{}] : said;
};

const componentsOf = (document: OpenApiDocument, kind: string): Readonly<Record<string, unknown>> =>
  (((document["components"] ?? {}) as Json)[kind] ?? {}) as Record<string, unknown>;

/** A response or a body, where it is a reference to one. */
function resolve(value: unknown, document: OpenApiDocument): Json | undefined {
  const { $ref } = (value ?? {}) as { readonly $ref?: string };
  if ($ref === undefined) return value as Json | undefined;
  const [, kind = "", name = ""] = /^#\/components\/([^/]+)\/(.+)$/.exec($ref) ?? [];
  return componentsOf(document, kind)[name] as Json | undefined;
}

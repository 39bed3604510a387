import type { TObject, TSchema } from "@sinclair/typebox";
import type { Part } from "#http/extractor.js";
import type { RouteInfo } from "#http/route-info.js";
import type { Content, Operation, OperationResponse, Parameter, ParameterPlace } from "./operation.js";

/** Routes in the order in which they are mounted, without internal ones and the fallback. */
export const describe = (routes: readonly RouteInfo[]): readonly Operation[] =>
  routes.filter(({ method, internal }) => method !== "*" && !internal).map(operationOf);

/** Of one route. */
export function operationOf(route: RouteInfo): Operation {
  const { method, path, input } = route;
  return {
    method,
    path,
    template: path.replace(/[:*]([^/]+)/g, "{$1}"),
    parameters: input === undefined ? [] : parametersOf(input, route),
    body: input && bodyOf(input),
    responses: responsesOf(route),
    route,
  };
}

function parametersOf(part: Part, route: RouteInfo): readonly Parameter[] {
  switch (part.kind) {
    case "path":
    case "query":
    case "header":
    case "cookie":
      return listed(part.kind, part.schema);
    case "parameters":
      return listed("query", part.schema).map((each) =>
        route.path.split("/").includes(`:${each.name}`) ? { ...each, in: "path", required: true } : each,
      );
    case "combine":
      return Object.values(part.parts).flatMap((inner) => parametersOf(inner, route));
    default:
      return [];
  }
}

const listed = (place: ParameterPlace, schema: TObject): readonly Parameter[] =>
  Object.entries(schema.properties).map(([name, inner]: [string, TSchema]) => ({
    in: place,
    name,
    required: place === "path" || (schema.required ?? []).includes(name),
    schema: inner,
  }));

function bodyOf(part: Part): Operation["body"] {
  switch (part.kind) {
    case "json":
      return { required: true, content: [{ media: "application/json", schema: part.schema }] };
    case "form":
      return {
        required: true,
        content: [{ media: "application/x-www-form-urlencoded", schema: part.schema }],
      };
    case "multipart":
      return { required: true, content: [{ media: "multipart/form-data", schema: part.options.schema }] };
    case "text":
    case "bytes":
    case "stream":
      return { required: false, content: [{ media: "*/*", schema: undefined }] };
    case "combine":
      return Object.values(part.parts)
        .map(bodyOf)
        .find((body) => body !== undefined);
    default:
      return undefined;
  }
}

const NOTHING: readonly Content[] = [];

function responsesOf({ output, responseSchemas }: RouteInfo): readonly OperationResponse[] {
  const own = new Map<number, TSchema | undefined>([[200, output]]);
  for (const [status, schema] of Object.entries(responseSchemas)) own.set(Number(status), schema);
  return [...own]
    .sort(([a], [b]) => a - b)
    .map(([status, schema]) => ({
      status,
      content: status === 204 ? NOTHING : [{ media: "application/json", schema }],
      problems: [],
      headers: [],
    }));
}

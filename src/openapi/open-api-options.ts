import type { AnyGuard } from "#core/flow/guard.js";
import type { IamPolicy } from "#core/iam/iam-policy.js";
import type { RouteIam } from "#http/plan/route-iam.js";
import {
  configInvalid,
  optionNames,
  requireFunctions,
  requireKnown,
  requireLists,
  routeInvalid,
} from "#http/refusal/option-checks.js";

/** OpenAPI 3.1, Info Object; further members as it allows them. */
export interface OpenApiInfo {
  readonly title: string;
  readonly version: string;
  readonly summary?: string;
  readonly description?: string;
  readonly [member: string]: unknown;
}

export interface OpenApiServer {
  readonly url: string;
  readonly description?: string;
  readonly [member: string]: unknown;
}

/** An OpenAPI document as data. */
export type OpenApiDocument = Readonly<Record<string, unknown>> & {
  readonly openapi: string;
  readonly info: OpenApiInfo;
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

export interface DocumentOptions {
  /** Default: the title "API" and the version "0.0.0". */
  readonly info?: OpenApiInfo;
  /** Default: the server that the document is read from. */
  readonly servers?: readonly OpenApiServer[];
  /** Returns another document than the one it is given, which it does not change. Once, when the server begins. */
  readonly transform?: (document: OpenApiDocument) => OpenApiDocument;
  /** Whether each operation names its Axon and steps, in `x-framework-axon`. Default false. */
  readonly internals?: boolean;
}

export interface OpenApiOptions extends DocumentOptions {
  /** In front of the document alone, behind those of the ingress. */
  readonly guards?: readonly AnyGuard[];
  /** Whom the document is shown. */
  readonly iam?: RouteIam<IamPolicy>;
}

const OPTIONS = optionNames<OpenApiOptions>()("info servers transform internals guards iam");

/** Throws CONFIG_INVALID and ROUTE_INVALID. */
export function requireOpenApiOptions(path: string, options: OpenApiOptions): void {
  const where = `openapi('${path}')`;
  if (typeof path !== "string" || /[:*]/.test(path))
    throw routeInvalid(`${where}: its path has no parameters, as in "/openapi.json"`);
  requireKnown(where, options, OPTIONS);
  requireLists(where, options, ["servers", "guards"]);
  requireFunctions(where, options, ["transform"]);
  const { info, servers = [], internals = false } = options;
  if (info !== undefined && (typeof info?.title !== "string" || typeof info.version !== "string"))
    throw configInvalid(`info of ${where} has a title and a version, both texts`);
  if (servers.some((server) => typeof server?.url !== "string"))
    throw configInvalid(
      `servers of ${where} are objects with a url: servers: [{ url: "https://api.example" }]`,
    );
  if (typeof internals !== "boolean") throw configInvalid(`internals of ${where} is true or false`);
}

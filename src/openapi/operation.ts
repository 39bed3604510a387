// What a mounted route takes and what it responds with, as data. The document and the fuzzer read this.

import type { TSchema } from "@sinclair/typebox";
import type { DeclaredResponse } from "#core/bus/declared-response.js";
import type { RouteInfo } from "#http/plan/route-info.js";

export type ParameterPlace = "path" | "query" | "header" | "cookie";

export interface Parameter {
  readonly in: ParameterPlace;
  /** As the route has it. */
  readonly name: string;
  readonly required: boolean;
  /** Undefined for any text. */
  readonly schema: TSchema | undefined;
}

/** A body of one media type. */
export interface Content {
  readonly media: string;
  /** Undefined for any bytes or text. */
  readonly schema: TSchema | undefined;
  /** Media types of the parts of a form, by name: "image/png, image/jpeg". */
  readonly partTypes?: Readonly<Record<string, string>>;
}

export interface RequestBody {
  readonly required: boolean;
  readonly content: readonly Content[];
  /** Whether other media types than these are taken too. */
  readonly takesOthers: boolean;
}

export interface OperationResponse {
  readonly status: number;
  /** Empty for no body. Problems are `application/problem+json`. */
  readonly content: readonly Content[];
  /** By code; empty for what is no problem. */
  readonly problems: readonly DeclaredResponse[];
  /** Names of headers that it can have; sorted, in lower case. */
  readonly headers: readonly string[];
}

/** One method of one path. */
export interface Operation {
  /** Unique: the route's own, or made of method and path, "getOrdersById". */
  readonly id: string;
  /** Upper case. */
  readonly method: string;
  /** As mounted: "/orders/:id". */
  readonly path: string;
  /** As OpenAPI writes it: "/orders/{id}". Paths that differ in the names of parameters alone have one. */
  readonly template: string;
  /** What the parameters of the path are called in the template, in their order. */
  readonly pathNames: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly body: RequestBody | undefined;
  /** By status, ascending. What any request can be refused with is not among them: see `general`. */
  readonly responses: readonly OperationResponse[];
  readonly route: RouteInfo;
}

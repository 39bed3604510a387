// What a mounted route takes and what it responds with, as data. The document, the check of a
// committed one, and the fuzzer read this.

import type { TSchema } from "@sinclair/typebox";
import type { DeclaredResponse } from "#core/declared-response.js";
import type { RouteInfo } from "#http/route-info.js";

export type ParameterPlace = "path" | "query" | "header" | "cookie";

export interface Parameter {
  readonly in: ParameterPlace;
  readonly name: string;
  readonly required: boolean;
  /** Undefined for any text. */
  readonly schema: TSchema | undefined;
}

/** A body by its media types; a schema is undefined for any bytes or text. */
export interface Content {
  readonly media: string;
  readonly schema: TSchema | undefined;
}

export interface OperationResponse {
  readonly status: number;
  /** Empty for no body. Problems are `application/problem+json`. */
  readonly content: readonly Content[];
  /** Of a status from 400: the problems by which it is told apart, sorted by code. */
  readonly problems: readonly DeclaredResponse[];
  /** Names in lower case, sorted. */
  readonly headers: readonly string[];
}

/** One method of one path. */
export interface Operation {
  /** Upper case. */
  readonly method: string;
  /** As mounted: "/orders/:id". */
  readonly path: string;
  /** As OpenAPI writes it: "/orders/{id}". */
  readonly template: string;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly required: boolean; readonly content: readonly Content[] } | undefined;
  /** By status, ascending; what is the same of every route is not among them. */
  readonly responses: readonly OperationResponse[];
  readonly route: RouteInfo;
}

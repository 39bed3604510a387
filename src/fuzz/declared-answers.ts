// Compares a response with what its route declares.

import type { TSchema } from "@sinclair/typebox";

import { faultCodes } from "#core/error-codes.js";
import { FrameworkError } from "#core/errors.js";
import type { RouteInfo } from "#http/plan/route-info.js";
import { operationOf } from "#openapi/describe.js";
import { PROBLEM } from "#openapi/described-responses.js";
import type { Content, OperationResponse } from "#openapi/operation.js";
import { EVERYWHERE } from "#openapi/problems.js";
import { compileSchema, type Validator } from "#schema/compile/validator.js";

/** A received response. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if it is incomplete: a stream of events, a long one, a compressed one. */
  readonly body: Uint8Array | undefined;
}

/** Responses of every route: the document states them once. */
const ANYWHERE: ReadonlySet<string | undefined> = new Set(EVERYWHERE);
/** Switched to WebSocket. */
const SWITCHED = 101;
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

export class DeclaredAnswers {
  readonly #owner: string;
  readonly #responses: ReadonlyMap<number, OperationResponse>;
  readonly #own: RouteInfo["responseSchemas"];
  readonly #validators = new Map<TSchema, Validator | undefined>();

  constructor(route: RouteInfo) {
    this.#owner = `${route.method} ${route.path}`;
    this.#own = route.responseSchemas;
    this.#responses = new Map(operationOf(route).responses.map((response) => [response.status, response]));
  }

  /** True if the program declares this 500. False if the framework sent it for an unexpected error. */
  hasOwnFailure(answer: Answer): boolean {
    const code = problemCode(answer);
    if (code === undefined) return Object.hasOwn(this.#own, answer.status);
    if (code === "INTERNAL_ERROR" || Object.hasOwn(faultCodes, code)) return false;
    const problems = this.#responses.get(answer.status)?.problems ?? [];
    return Object.hasOwn(this.#own, answer.status) || problems.some((problem) => problem.code === code);
  }

  /** The difference of the response from its declaration; undefined if there is none. */
  difference(answer: Answer): string | undefined {
    const { status, headers, body } = answer;
    const declared = this.#responses.get(status);
    if (status === SWITCHED) return undefined;
    if (declared === undefined && !ANYWHERE.has(problemCode(answer)))
      return `the status is not declared: there are ${[...this.#responses.keys()].join(", ")}`;
    const media = mediaOf(headers["content-type"]);
    if (body === undefined) return undefined;
    const problem = media === PROBLEM ? problemDifference(status, body) : undefined;
    if (problem !== undefined || declared === undefined) return problem;
    if (body.length === 0 && (BODILESS.has(status) || declared.content.length === 0 || media === ""))
      return undefined;
    const content = declared.content.find((each) => matches(each.media, media));
    if (content === undefined)
      return `a body of ${media || "no media type"} is not declared for the status: there is ${declared.content.map((each) => each.media).join(", ") || "none"}`;
    return this.#bodyDifference(content, media, body);
  }

  #bodyDifference({ schema }: Content, media: string, body: Uint8Array): string | undefined {
    if (!/^application\/(?:.*\+)?json$/.test(media)) return undefined;
    const read = jsonOf(body);
    if (read === undefined) return "the body is not JSON";
    const validator = schema && this.#validatorOf(schema);
    if (validator === undefined || validator.check(read.value)) return undefined;
    const [first] = validator.errors(read.value);
    return `the body is against its schema at '${first?.pointer ?? ""}': ${first?.expected ?? "it does not fit"}`;
  }

  /** Undefined for schemas of values that JSON converts, such as dates. */
  #validatorOf(schema: TSchema): Validator | undefined {
    if (!this.#validators.has(schema)) this.#validators.set(schema, validatorOf(schema, this.#owner));
    return this.#validators.get(schema);
  }
}

function validatorOf(schema: TSchema, owner: string): Validator | undefined {
  try {
    return compileSchema(schema, { owner, origin: "json" });
  } catch (error) {
    if (error instanceof FrameworkError) return undefined;
    throw error;
  }
}

const mediaOf = (type = ""): string => (type.split(";", 1)[0] as string).trim().toLowerCase();

function matches(declared: string, media: string): boolean {
  const range = mediaOf(declared);
  return range === media || range === "*/*" || (range.endsWith("/*") && media.startsWith(range.slice(0, -1)));
}

function jsonOf(body: Uint8Array): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(Buffer.from(body).toString()) };
  } catch {
    return undefined;
  }
}

/** The code of a problem document. */
export function problemCode({ headers, body }: Answer): string | undefined {
  if (body === undefined || mediaOf(headers["content-type"]) !== PROBLEM) return undefined;
  const code = (jsonOf(body)?.value as { readonly code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

/** Checks RFC 9457, and the members that every problem document of the framework has. */
function problemDifference(status: number, body: Uint8Array): string | undefined {
  const problem = jsonOf(body)?.value as Partial<Record<string, unknown>> | null | undefined;
  if (typeof problem !== "object" || problem === null) return "the problem document is not a JSON object";
  const lacking = ["type", "title", "code", "instance", "request_id"].find(
    (name) => typeof problem[name] !== "string",
  );
  if (lacking !== undefined) return `the problem document has no text '${lacking}'`;
  return problem["status"] === status
    ? undefined
    : "the problem document has another status than the response";
}

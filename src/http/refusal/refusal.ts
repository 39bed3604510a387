import { type Fault, fault } from "#core/bus/outcome.js";
import { ProblemDetail } from "#core/bus/problem-detail.js";
import { RefusedInput } from "#core/bus/run-outcome.js";
import type { SchemaError } from "#core/bus/schema-error.js";
import { faultCodes, guardCodes, type RefusalCode, refusalCodes } from "#core/error-codes.js";
import { assertHeaderName, assertHeaderValue } from "#core/wire/header-syntax.js";

export interface RefusalParts {
  readonly detail?: string;
  readonly errors?: readonly SchemaError[];
  /** Constant response headers, validated by the constructor. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Closes the connection after the response: its further bytes cannot be trusted. */
  readonly ends?: boolean;
  /** The value that was refused, for recorders: never sent. */
  readonly parsed?: unknown;
}

const ALL = {
  ...refusalCodes,
  INPUT_INVALID: faultCodes.INPUT_INVALID,
  ORIGIN_REFUSED: guardCodes.ORIGIN_REFUSED,
};

/** A problem response of the ingress itself. */
export class Refusal {
  readonly problem: ProblemDetail;
  readonly headers: Readonly<Record<string, string>>;
  readonly ends: boolean;
  // Private: a refusal is also the outcome of a node, and is shown as that.
  readonly #parsed: unknown;

  constructor(
    code: RefusalCode | "INPUT_INVALID" | "ORIGIN_REFUSED",
    { detail, errors, headers = {}, ends = false, parsed }: RefusalParts = {},
  ) {
    const { status, title } = ALL[code];
    this.problem = new ProblemDetail({
      status,
      code,
      title,
      ...(detail !== undefined && { detail }),
      ...(errors !== undefined && { errors }),
    });
    for (const [name, value] of Object.entries(headers)) {
      assertHeaderName(name);
      assertHeaderValue(name, value);
    }
    this.headers = headers;
    this.ends = ends;
    this.#parsed = parsed;
  }

  /** Undefined if nothing was parsed. */
  get parsed(): unknown {
    return this.#parsed;
  }
}

/** Ends a run whose request was refused before its first step. Below 500 the run is `refused_input`. */
export const refusedBy = (refusal: Refusal): Fault<Refusal> =>
  refusal.problem.status < 500 ? new RefusedInput(refusal) : fault(refusal);

export const faultOfRefusal = (input: unknown): unknown =>
  input instanceof Refusal ? refusedBy(input) : input;

/** Statuses of temporary failures: a retry of the same request may succeed. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

/** True if a response of this status is not stored under an idempotency key. */
export const isPassing = (status: number): boolean => status >= 500 || PASSING.has(status);

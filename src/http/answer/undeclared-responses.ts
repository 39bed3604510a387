// Outside production: warns of the first response of each status and code that the document of a route does
// not have.

import type { DeclaredResponse } from "#core/bus/declared-response.js";
import { isFault } from "#core/bus/outcome.js";
import { ProblemDetail } from "#core/bus/problem-detail.js";
import { Reply } from "#core/bus/reply.js";
import type { Report } from "#core/bus/reporter.js";
import { WholeAnswer } from "#core/bus/whole-answer.js";
import type { AxonDefinition } from "#runtime/definition/axon-definition.js";
import { stepOf } from "#runtime/run/returned-by.js";

/** Codes may be of other services. */
const MAX_TOLD = 100;

export class UndeclaredResponses {
  readonly #route: string;
  readonly #axon: AxonDefinition;
  readonly #statuses: ReadonlySet<number>;
  /** "409 TAKEN"; "409 " for a status that is declared without a code. */
  readonly #declared: ReadonlySet<string>;
  readonly #told = new Set<string>();

  constructor(route: string, axon: AxonDefinition, responses: readonly DeclaredResponse[]) {
    this.#route = route;
    this.#axon = axon;
    this.#statuses = new Set(responses.map(({ status }) => status));
    this.#declared = new Set(responses.map(({ status, code = "" }) => `${status} ${code}`));
  }

  /** `outcome` is that of the run, `sent` what its fault is sent as. */
  reportOf(outcome: unknown, sent: unknown): Report | undefined {
    // A file, a stream of events or an upgrade has a head of its own.
    if (sent instanceof WholeAnswer) return undefined;
    const problem = problemIn(sent);
    const status = problem?.status ?? (sent instanceof Reply ? sent.status : sent === undefined ? 204 : 200);
    const id = `${status} ${problem?.code ?? ""}`;
    if (this.#declared.has(id) || this.#told.has(id)) return undefined;
    if (this.#declared.has(`${status} `) || (problem === undefined && this.#statuses.has(status)))
      return undefined;
    if (this.#told.size >= MAX_TOLD) return undefined;
    this.#told.add(id);
    const { steps, layers } = this.#axon;
    // A layer may have made it.
    const last = isFault(outcome) || layers.length > 0 ? undefined : steps.at(-1)?.transition.name;
    const step = stepOf(outcome) ?? last;
    const message = `${this.#route}, ${step === undefined ? "" : `step '${step}' of `}Axon '${this.#axon.name}', responded with ${id.trim()}, which its OpenAPI document does not have: ${remedyFor(status, problem)}`;
    return {
      code: "RESPONSE_UNDECLARED",
      message,
      axon: this.#axon.name,
      ...(step !== undefined && { step }),
    };
  }
}

function remedyFor(status: number, problem: ProblemDetail | undefined): string {
  if (problem !== undefined)
    return `add the ProblemDetail, or { status: ${status}, code: "${problem.code}", title: "${problem.title}" }, to 'responses' of the step, or of the route if onFault makes it`;
  const declaration = `add { status: ${status} } to 'responses' of the step`;
  return status === 204 ? `${declaration}, or give it an output schema of Type.Void()` : declaration;
}

function problemIn(sent: unknown): ProblemDetail | undefined {
  const body = sent instanceof Reply ? sent.body : sent;
  return body instanceof ProblemDetail ? body : undefined;
}

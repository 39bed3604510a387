// The schemas of bodies by status, `responseSchemas` of a route: checked and serialised like an output schema.

import type { TSchema } from "@sinclair/typebox";
import { fault } from "#core/bus/outcome.js";
import { ProblemDetail } from "#core/bus/problem-detail.js";
import { dataOf, noData, Reply } from "#core/bus/reply.js";
import { runtimeFault } from "#core/bus/runtime-fault.js";
import { compileSerialiser } from "#schema/compile/serialiser.js";
import { compileSchema, type Validator } from "#schema/compile/validator.js";
import { ValueSender } from "./answer.js";
import { problemBody } from "./problem-answer.js";
import type { AnsweredRoute } from "./sent-answer.js";

interface OfStatus {
  readonly validator: Validator;
  readonly sender: ValueSender;
}

export class StatusSchemas {
  readonly #axon: string;
  readonly #byStatus = new Map<number, OfStatus>();

  /** `where` is the route, for messages. Throws if a schema does not compile. */
  constructor(schemas: Readonly<Record<number, TSchema>>, where: string, route: AnsweredRoute) {
    this.#axon = route.axon;
    for (const [status, schema] of Object.entries(schemas)) {
      const owner = `${where}, responseSchemas ${status}`;
      this.#byStatus.set(Number(status), {
        validator: compileSchema(schema, { owner, origin: "program" }),
        sender: new ValueSender(compileSerialiser(schema, { owner }), route),
      });
    }
  }

  /** The sender of an outcome whose status has a schema. */
  senderOf(outcome: unknown): ValueSender | undefined {
    return this.#byStatus.get(statusOf(outcome))?.sender;
  }

  /** A fault for a body that does not fit; undefined for one that fits, and without a schema. */
  misfit(outcome: unknown): unknown {
    const validator = this.#byStatus.get(statusOf(outcome))?.validator;
    if (validator === undefined) return undefined;
    const problem = problemIn(outcome);
    const data = problem === undefined ? dataOf(outcome) : JSON.parse(problemBody(problem, "/", ""));
    if (data === noData || validator.check(data)) return undefined;
    return fault(runtimeFault({ code: "OUTPUT_INVALID", axon: this.#axon, errors: validator.errors(data) }));
  }
}

const problemIn = (outcome: unknown): ProblemDetail | undefined => {
  const body = outcome instanceof Reply ? outcome.body : outcome;
  return body instanceof ProblemDetail ? body : undefined;
};

function statusOf(outcome: unknown): number {
  if (outcome instanceof Reply || outcome instanceof ProblemDetail) return outcome.status;
  return outcome === undefined ? 204 : 200;
}

// Violations of a response.

import type { Report } from "#core/bus/reporter.js";
import { type Answer, problemCode } from "./declared-answers.js";
import type { FuzzIdentity } from "./fuzz-identity.js";
import { admitted, closedDoors, type FuzzedRoute } from "./fuzzed-route.js";

export interface Violation {
  /** Equal for failures with the same cause, by heuristics. */
  readonly key: string;
  /** "500: step 'price' threw TypeError: x is undefined". */
  readonly message: string;
}

/** Observations during one request. */
export interface Observed {
  readonly answer: Answer;
  /** Reports of the application meanwhile. */
  readonly reports: readonly Report[];
}

/** Reads the counters of guards before the request, and returns the check for its response. */
export function watched(
  route: FuzzedRoute,
  as: string | undefined,
  identity: FuzzIdentity,
): (observed: Observed) => Violation | undefined {
  const closed = closedDoors(route, as, identity);
  const before = closed.map(admitted);
  return ({ answer, reports }) => {
    const { status } = answer;
    const isIn =
      (status > 0 && status < 400) || closed.some((door, i) => admitted(door) > (before[i] as number));
    if (closed.length > 0 && isIn) {
      const [{ policy }] = closed as [(typeof closed)[number]];
      return {
        key: `${route.row} let in ${as ?? ""}`,
        message: `${status}: ${as === undefined ? "a caller without an identity" : `the identity '${as}'`} is let in, where the policy demands ${policy.description}`,
      };
    }
    return failure(route, answer, reports) ?? undeclared(route, answer);
  };
}

/** Only the program's own declarations excuse a failure: the framework declares for every route that a step can throw. */
function failure(
  { row, declared }: FuzzedRoute,
  answer: Answer,
  [report]: readonly Report[],
): Violation | undefined {
  const { status } = answer;
  const isStray = report?.code === "PROCESS_EXCEPTION";
  if (!isStray && status !== 0 && (status !== 500 || declared.hasOwnFailure(answer))) return undefined;
  const what = isStray ? "an error outside of every run" : status === 0 ? "no whole response" : "500";
  return {
    key: `${row} ${status} ${report?.code ?? ""} ${report?.step ?? ""} ${placeOf(report?.error)}`,
    message: report === undefined ? what : `${what}: ${causeOf(report)}`,
  };
}

function undeclared({ row, declared }: FuzzedRoute, answer: Answer): Violation | undefined {
  const difference = declared.difference(answer);
  if (difference === undefined) return undefined;
  const { status } = answer;
  const code = problemCode(answer);
  return {
    key: `${row} ${status} ${difference.replace(/\d+/g, "#")}`,
    message: `${status}${code === undefined ? "" : ` ${code}`}: ${difference}`,
  };
}

function causeOf({ code, message, error }: Report): string {
  const thrown = error instanceof Error ? error.message : "";
  if (code === "PROCESS_EXCEPTION") return thrown || String(error);
  return thrown === "" || message.includes(thrown) ? message : `${message}: ${thrown}`;
}

/** The name of an error, and the line that threw it. */
function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  return `${error.name} ${
    error.stack
      ?.split("\n")
      .find((line) => /^\s+at /.test(line))
      ?.trim() ?? ""
  }`;
}

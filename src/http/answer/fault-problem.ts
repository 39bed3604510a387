// Maps a Fault to a response. An application's error is a ProblemDetail, IntoReply or
// IntoProblemDetail; the runtime's faults have a table. Any other error is 500, masked in production
// and reported.

import { type Fault, isFault } from "#core/bus/outcome.js";
import { isIntoProblemDetail, ProblemDetail } from "#core/bus/problem-detail.js";
import { type IntoReply, isIntoReply, Reply, respond } from "#core/bus/reply.js";
import type { Report } from "#core/bus/reporter.js";
import {
  type BranchUnknown,
  isRuntimeFault,
  type RuntimeFault,
  type TransitionUndeclared,
} from "#core/bus/runtime-fault.js";
import { schemaErrorText } from "#core/bus/schema-error.js";
import { faultCodes } from "#core/error-codes.js";
import { BusValueMissingError } from "#core/errors.js";
import { didYouMean, nearest } from "#core/nearest.js";
import { pendingOf } from "#runtime/run/answers.js";
import type { FaultMapper } from "../plan/route-definition.js";
import { Refusal } from "../refusal/refusal.js";

export interface FaultAnswer {
  readonly problem: ProblemDetail;
  /** Undefined for faults that the client caused. */
  readonly report: Pick<Report, "code" | "message" | "step" | "error"> | undefined;
}

const SAY_IT = "make it a ProblemDetail, give it toProblemDetail(), or the route an onFault";

export function faultAnswer(error: unknown, production: boolean): FaultAnswer | Reply<unknown> {
  try {
    return saidAnswer(error, production);
  } catch (cause) {
    return unmapped(`A fault threw when it was read: ${describe(cause)}`, cause, production);
  }
}

function saidAnswer(error: unknown, production: boolean): FaultAnswer | Reply<unknown> {
  if (isRuntimeFault(error)) return runtimeAnswer(error, production);
  if (error instanceof ProblemDetail) return { problem: error, report: undefined };
  if (isIntoReply(error)) return ownReply(error, production);
  if (isIntoProblemDetail(error)) return convertedAnswer(error, production);
  return unmapped(`A fault says no status: ${describe(error)}; ${SAY_IT}`, error, production);
}

/** For failures of the framework or a serialiser. */
export const internal = (detail: string, error: unknown, production: boolean): ProblemDetail =>
  production
    ? MASKED
    : new ProblemDetail({
        status: 500,
        code: "INTERNAL_ERROR",
        title: MASKED.title,
        detail,
        ...(error instanceof Error &&
          error.stack !== undefined && { extensions: { stack: error.stack.split("\n") } }),
      });

const MASKED = new Refusal("INTERNAL_ERROR").problem;

function runtimeAnswer(error: RuntimeFault, production: boolean): FaultAnswer | Reply<unknown> {
  switch (error.code) {
    case "INPUT_INVALID":
      return { problem: new Refusal("INPUT_INVALID", { errors: error.errors }).problem, report: undefined };
    case "POOL_FULL":
      return respond({
        headers: { "retry-after": String(error.retryAfterSecs) },
        body: new ProblemDetail({ code: error.code, ...faultCodes[error.code] }),
      });
    case "POOL_CLOSED":
    case "RUN_ABORTED":
    case "STEP_TIMEOUT":
    case "LOCK_TAKEN":
    // Reported with its cause by the step that failed.
    case "AUDIT_FAILED":
    case "LOCK_UNAVAILABLE":
    case "CHECKPOINT_FAILED":
    case "RUN_CANCELLED":
    case "RUN_OWNED":
    case "RUN_ENDED":
    case "RUN_INCOMPATIBLE":
    case "RUN_STUCK":
    case "RUN_TAKEN":
    case "RUN_UNKNOWN":
    case "RUN_WAITING":
    case "WAIT_TIMEOUT":
      return {
        problem: new ProblemDetail({ code: error.code, ...faultCodes[error.code] }),
        report: undefined,
      };
    case "POOL_MEMORY": {
      const grown = { heap: "its heap", process: "the process, ArrayBuffers included," }[error.of];
      const message = `Step '${error.step}' was ended: ${grown} grew beyond pool.memory_limit_mb, ${error.limitMb} MB; give the worker less at once, or raise the limit`;
      return ownAnswer(error, message);
    }
    case "WORKER_CRASHED":
      return ownAnswer(error, `The worker of step '${error.step}' ended: ${describe(error.cause)}`);
    case "WORKER_MODULE_FAILED":
      return ownAnswer(error, `The worker of step '${error.step}', ${error.module}: ${error.reason}`);
    case "VALUE_NOT_CLONEABLE":
      return ownAnswer(error, `The ${error.value} of step '${error.step}' cannot be cloned: ${error.reason}`);
    case "TRANSITION_PANIC":
      return panicAnswer(error.step, error.cause, production);
    case "TRANSITION_UNDECLARED":
      return broken(error, undeclared(error), production);
    case "BRANCH_UNKNOWN":
      return broken(error, unattached(error), production);
    case "JUMP_LIMIT": {
      const message = `Step '${error.step}' jumped again after ${error.maxJumps} jumps of the run: end its loop, or raise withMaxJumps()`;
      return broken(error, message, production);
    }
    case "RUN_LOG_FULL": {
      const message = `The log of run '${error.runId}' is full, at ${error.entries} entries and ${error.chars} characters: end its loop earlier, hand the rest on to another run, or raise maxLogEntries and maxLogChars of withPersistenceStore`;
      return broken(error, message, production);
    }
    case "VALUE_NOT_DURABLE": {
      if (error.maxInputChars !== undefined) {
        const detail = `A run of this route keeps an input of at most ${error.maxInputChars} characters`;
        return { problem: new Refusal("BODY_TOO_LARGE", { detail }).problem, report: undefined };
      }
      const message = `'${error.value}' in a run of Axon '${error.axon}' cannot be kept, as it is ${error.reason}: hand on plain data, or make the value in the step that uses it`;
      return broken(error, message, production);
    }
    case "OUTPUT_INVALID": {
      const wrong = error.errors.map((each) => schemaErrorText(each, "the output")).join("; ");
      const end = wrong.endsWith("?") ? "" : ".";
      const message = `${faultCodes[error.code].title}: ${wrong}${end} Mend the step, or the schema`;
      return broken(error, message, production);
    }
  }
}

/** A mistake of the program: masked in production, reported under the code of the fault. */
function broken(error: RuntimeFault, message: string, production: boolean): FaultAnswer {
  const step = "step" in error ? { step: error.step } : {};
  return {
    problem: internal(message, undefined, production),
    report: { code: error.code, message, ...step, error },
  };
}

/** A failure of a worker: the response has the code, the log the cause. */
function ownAnswer(
  error: Extract<RuntimeFault, { readonly code: keyof typeof faultCodes; readonly step: string }>,
  message: string,
): FaultAnswer {
  const cause = "cause" in error ? error.cause : error;
  return {
    problem: new ProblemDetail({ code: error.code, ...faultCodes[error.code] }),
    report: { code: error.code, message, step: error.step, error: cause },
  };
}

/** `jump 'again'` is declared in `jumps`. */
function undeclared({ step, outcome }: TransitionUndeclared): string {
  const [kind = "", name = ""] = outcome.split(/ (.*)/);
  const list = { jump: "jumps", branch: "branches", emit: "emits" }[kind];
  return `Step '${step}' answered ${kind} ${name}, which it does not declare: add it to its '${list}'`;
}

function unattached({ step, branch, attached }: BranchUnknown): string {
  const known = attached.map((id) => `'${id}'`).join(", ");
  const meant = didYouMean(
    nearest(
      branch,
      branch,
      attached.map((name) => ({ name, tail: name })),
    ),
  );
  return `Step '${step}' took branch '${branch}', which has no Axon; those of the step are ${known}: ${meant === "" ? `call .branch('${branch}', axon) right after the step` : meant}`;
}

/** The report of an error that a service threw, if the fault was made of it. */
export function mappedReport({ mapped, error }: Fault<unknown>): Report | undefined {
  if (mapped === undefined) return undefined;
  const { step, thrown } = mapped;
  const code = Object(error) === error ? (error as { readonly code?: unknown }).code : error;
  const meant = typeof code === "string" ? code : "a fault";
  const message = `The service of step '${step}' failed, which the step answers as ${meant}: ${describe(thrown)}`;
  return { code: "SERVICE_FAILED", message, step, error: thrown };
}

/** The reports of a fault that no client gets: a fault without a status is none of them. */
export function unansweredReports(fault: Fault<unknown>): readonly Report[] {
  const answer = isRuntimeFault(fault.error) ? runtimeAnswer(fault.error, true) : undefined;
  const report = answer instanceof Reply ? undefined : answer?.report;
  return [mappedReport(fault), report].filter((one) => one !== undefined);
}

function panicAnswer(step: string, cause: unknown, production: boolean): FaultAnswer {
  if (cause instanceof BusValueMissingError && /^(?:header|(?:signed |encrypted )?cookie):/.test(cause.key)) {
    const detail = `The request needs the ${cause.key.replace(":", " '")}'`;
    return { problem: new Refusal("HEADER_MISSING", { detail }).problem, report: undefined };
  }
  const remedy = isOutcome(cause) ? "; what is thrown is a mistake of the program: return fault(...)" : "";
  const message = `Step '${step}' threw: ${describe(cause)}${remedy}`;
  return {
    problem: internal(message, cause, production),
    report: { code: "TRANSITION_PANIC", message, step, error: cause },
  };
}

function ownReply(error: IntoReply, production: boolean): FaultAnswer | Reply<unknown> {
  try {
    const reply: unknown = error.toReply();
    if (reply instanceof Reply && reply.status >= 300) return reply;
    return unmapped("toReply() answered no reply of status 300 to 599", error, production);
  } catch (cause) {
    return unmapped(`toReply() threw: ${describe(cause)}`, cause, production);
  }
}

function convertedAnswer(error: { toProblemDetail(): ProblemDetail }, production: boolean): FaultAnswer {
  try {
    const problem: unknown = error.toProblemDetail();
    if (problem instanceof ProblemDetail) return { problem, report: undefined };
    // Only the constructor of ProblemDetail validates the status.
    return unmapped("toProblemDetail() answered no ProblemDetail", error, production);
  } catch (cause) {
    return unmapped(`toProblemDetail() threw: ${describe(cause)}`, cause, production);
  }
}

const unmapped = (message: string, error: unknown, production: boolean): FaultAnswer => ({
  problem: internal(message, error, production),
  report: { code: "FAULT_UNMAPPED", message, error },
});

/** True for an outcome, which must be returned instead of thrown. */
function isOutcome(thrown: unknown): boolean {
  try {
    return isFault(thrown) || thrown instanceof ProblemDetail || thrown instanceof Reply;
  } catch {
    return false;
  }
}

// Reading the error may throw.
export function describe(error: unknown): string {
  try {
    if (error instanceof Error) return `${error.message}`;
    // A text that toJSON returns is composed by the application.
    const { toJSON } = Object(error) as { readonly toJSON?: unknown };
    const said: unknown = typeof toJSON === "function" ? toJSON.call(error) : error;
    if (typeof said === "object" && said !== null) return shapeOf(said);
    return JSON.stringify(said) ?? String(said);
  } catch {
    return typeof error === "bigint" ? `${error}` : `what cannot be shown as text, of type ${typeof error}`;
  }
}

/** Members that say what a fault is. */
const TELLING = ["kind", "code", "type", "_tag"];

/** Without other values: a schema may mark them. The report has the error itself, masked. */
function shapeOf(error: object): string {
  if (Array.isArray(error)) return `a list of ${error.length}`;
  const shown = Object.entries(error).map(([name, value]) =>
    TELLING.includes(name) && typeof value === "string" ? `${name}: ${JSON.stringify(value)}` : name,
  );
  return `{ ${shown.slice(0, 10).join(", ")} }`;
}

export function mappedFault(
  onFault: FaultMapper,
  error: unknown,
  production: boolean,
): FaultAnswer | Reply<unknown> | undefined {
  const failed = (message: string, cause: unknown): FaultAnswer => ({
    problem: internal(message, cause, production),
    report: { code: "FAULT_UNMAPPED", message, error: cause },
  });
  try {
    const answer: unknown = onFault(error);
    if (answer === undefined) return undefined;
    if (answer instanceof ProblemDetail) return { problem: answer, report: undefined };
    if (!(answer instanceof Reply)) {
      // A rejection must not exit the process.
      pendingOf(answer)?.catch(() => {});
      return failed("onFault answered neither a ProblemDetail nor respond(), at once", error);
    }
    if (answer.status >= 300) return answer;
    return failed(`onFault answered ${answer.status}: a fault never answers success`, error);
  } catch (cause) {
    return failed(`onFault threw: ${describe(cause)}`, cause);
  }
}

import { types } from "node:util";
import type { Fault } from "#core/bus/outcome.js";
import { ProblemDetail } from "#core/bus/problem-detail.js";
import { Reply } from "#core/bus/reply.js";
import type { Report } from "#core/bus/reporter.js";
import { isRuntimeFault, type TransitionPanic } from "#core/bus/runtime-fault.js";
import { schemaErrorText } from "#core/bus/schema-error.js";
import {
  faultCodes,
  guardCodes,
  identityCodes,
  nodeCodes,
  type ReportCode,
  refusalCodes,
  reportCodes,
  sessionCodes,
  upstreamCodes,
} from "#core/error-codes.js";
import { FrameworkError } from "#core/errors.js";
import { IamError } from "#core/iam/iam-error.js";
import type { RunAnswer } from "#core/timeline/recorder.js";
import { withoutCredentials } from "#core/wire/credential-text.js";
import { visible } from "#core/wire/visible-text.js";
import { type FaultAnswer, faultAnswer } from "#http/answer/fault-problem.js";
import { Refusal } from "#http/refusal/refusal.js";
import type { Trace, TraceRow } from "../api/traces.js";

export type FaultReason = Omit<NonNullable<TraceRow["fault"]>, "node" | "label">;

const MAX_NAME = 200;
const MAX_TEXT = 1000;
const MAX_STACK = 8192;
/** Of a value that is against its schema, the first. */
const MAX_ERRORS = 5;

/** Why a run without a response failed. Calls the program's own error for its reply. */
export const faultReason = (error: unknown): FaultReason =>
  answeredReason(error instanceof Refusal ? error : faultAnswer(error, false), error);

/** Why a run failed: what the response says, and of a thrown error its class, code and first frame. */
export function answeredReason(answer: Refusal | FaultAnswer | Reply<unknown>, error: unknown): FaultReason {
  const problem = answer instanceof Reply ? answer.body : answer.problem;
  if (!(problem instanceof ProblemDetail)) {
    const { status } = answer as Reply<unknown>;
    return { code: null, status, title: `Answered with status ${status}`, detail: refusalOf(error) };
  }
  const report = answer instanceof Reply || answer instanceof Refusal ? undefined : answer.report;
  const { status } = problem;
  // A response masks the failure that the log names.
  const code = report?.code ?? problem.code;
  const title = report === undefined ? problem.title : titleOf(report.code);
  const detail = (report === undefined ? detailOf(problem) : reportedDetail(report)) ?? refusalOf(error);
  const reason = {
    code: named(code),
    status,
    title: text(title),
    detail: detail === null ? null : text(detail),
  };
  const { errors = [] } = problem;
  if (errors.length === 0) return reason;
  return {
    ...reason,
    pointers: errors.slice(0, MAX_ERRORS).map(({ pointer }) => visible(text(pointer, MAX_NAME))),
  };
}

/** Why the outcome of a run could not be sent. */
export const failedReason = (
  report: NonNullable<RunAnswer["failure"]>,
  status: number | null,
): FaultReason => ({
  ...{ code: report.code, status, title: titleOf(report.code) },
  detail: text(reportedDetail(report)),
});

/** Why a run was given up, as its client was told. */
export const sentReason = (code: string, status: number): Pick<FaultReason, "code" | "status" | "title"> => ({
  ...{ code, status },
  title: OWN_CODES.get(code)?.title ?? `Answered with status ${status}`,
});

/** Why the identity boundary refused: the policy's requirement, or the token's defect. Not sent to clients. */
function refusalOf(error: unknown): string | null {
  if (!(error instanceof IamError) || error.reason === undefined) return null;
  // Then the reason is the text of an exception.
  return error.kind === "VerifierUnavailable" ? null : text(error.reason);
}

/** True if the program's own code makes the response to this error. */
export function needsProgram(error: unknown): boolean {
  if (isRuntimeFault(error)) return error.code === "TRANSITION_PANIC";
  return !(error instanceof Refusal || error instanceof ProblemDetail);
}

/** The reason before there is a response, or if there never is one: without calling the program. */
export function foreseenReason(error: unknown): FaultReason {
  if (!needsProgram(error)) return faultReason(error);
  if (isRuntimeFault(error)) {
    const { step, cause } = error as TransitionPanic;
    const detail = text(`Step '${step}' threw ${describedError(cause)}`);
    return { code: error.code, ...faultCodes[error.code], detail };
  }
  const code = codeOf(error);
  const own = code === undefined ? undefined : OWN_CODES.get(code);
  return {
    code: named(code),
    status: own?.status ?? null,
    title: own?.title ?? text(nameOf(error)),
    detail: refusalOf(error),
  };
}

const OWN_CODES: ReadonlyMap<string, { readonly status: number; readonly title: string }> = new Map(
  Object.entries({
    ...refusalCodes,
    ...nodeCodes,
    ...guardCodes,
    ...identityCodes,
    ...sessionCodes,
    ...upstreamCodes,
  }),
);

const codeOf = (error: unknown): string | undefined => memberOf(error, "code");

/** Runs no getter and no Proxy. */
const ownValue = (of: unknown, name: string): unknown =>
  Object(of) !== of || types.isProxy(of) ? undefined : Object.getOwnPropertyDescriptor(of, name)?.value;

function memberOf(error: unknown, name: string): string | undefined {
  const member = typeof error === "object" ? ownValue(error, name) : undefined;
  return typeof member === "string" ? member : undefined;
}

/** A cheap name to distinguish causes. */
export function causeOf(error: unknown): string {
  if (isRuntimeFault(error) && error.code === "TRANSITION_PANIC") return `${error.code} ${error.step}`;
  return (codeOf(error) ?? memberOf(error, "kind") ?? nameOf(error)).slice(0, MAX_NAME);
}

/** A fault that is one word, or the name of its class. */
function nameOf(error: unknown): string {
  if (typeof error === "string") return WORD.test(error) ? error : "a text";
  if (typeof error !== "object" || error === null) return `a fault of type ${typeof error}`;
  const made = types.isProxy(error) ? undefined : ownValue(Object.getPrototypeOf(error), "constructor");
  const name = typeof made === "function" && made !== Object ? ownValue(made, "name") : undefined;
  return typeof name === "string" && name !== "" ? name : "a fault";
}

function detailOf({ detail, errors = [] }: ProblemDetail): string | null {
  const named = errors.slice(0, MAX_ERRORS).map((each) => schemaErrorText(each, "the value"));
  const more = errors.length > MAX_ERRORS ? [`${errors.length - MAX_ERRORS} more`] : [];
  const all = [...(detail === undefined ? [] : [detail]), ...named, ...more];
  return all.length === 0 ? null : all.join("; ");
}

const titleOf = (code: ReportCode): string =>
  Object.hasOwn(faultCodes, code)
    ? faultCodes[code as keyof typeof faultCodes].title
    : reportCodes[code as keyof typeof reportCodes];

type FaultReport = Pick<Report, "code" | "message" | "step" | "error">;

/** The message of a report quotes the error behind its first colon: here its description stands there. */
function reportedDetail({ message, step, error }: FaultReport): string {
  if (isRuntimeFault(error)) return message;
  const at = message.indexOf(": ");
  if (step === undefined && at < 0) return message;
  return `${step === undefined ? message.slice(0, at) : `Step '${step}' threw`}: ${describedError(error)}`;
}

const WORD = /^[A-Za-z][A-Za-z_.-]{0,63}$/;

/** What every role may see of a thrown error: `TypeError (E_CARD) at charge (file:///app/charge.js:12:9)`. */
function describedError(error: unknown): string {
  if (!types.isNativeError(error)) return nameOf(error);
  const code = codeOf(error);
  const frame = /^ *at .*$/m.exec(stackOf(error) ?? "")?.[0].trim();
  return [nameOf(error), code && `(${code})`, frame].filter(Boolean).join(" ");
}

/** The exception as an operator sees it. */
export type SeenError = NonNullable<Trace["error"]>;

/** The texts of the exception behind a fault, if there is one. */
export function seenError({ error, mapped }: Fault<unknown>): SeenError | null {
  if (error instanceof IamError) {
    if (error.kind !== "VerifierUnavailable") return null;
    return { message: text(error.reason ?? ""), stack: "", cause: seenCause(error.cause) };
  }
  const isPanic = isRuntimeFault(error) && error.code === "TRANSITION_PANIC";
  return seenThrown(mapped === undefined ? (isPanic ? error.cause : error) : mapped.thrown);
}

export function seenThrown(thrown: unknown): SeenError | null {
  if (!types.isNativeError(thrown) || thrown instanceof FrameworkError) return null;
  return {
    message: text(memberOf(thrown, "message") ?? ""),
    stack: text(stackOf(thrown) ?? "", MAX_STACK),
    cause: seenCause(ownValue(thrown, "cause")),
  };
}

const seenCause = (cause: unknown): string | null =>
  types.isNativeError(cause) ? text(stackOf(cause) ?? memberOf(cause, "message") ?? "", MAX_STACK) : null;

/** The engine makes it when it is read, unless the program has put something in its place. */
function stackOf(error: Error): string | undefined {
  try {
    const { stack } = error;
    return typeof stack === "string" ? stack : undefined;
  } catch {
    return undefined;
  }
}

const text = (given: unknown, max = MAX_TEXT): string =>
  withoutCredentials(String(given).slice(0, max), true);

const named = (code: unknown): string | null =>
  typeof code === "string" && code !== "" ? code.slice(0, MAX_NAME) : null;

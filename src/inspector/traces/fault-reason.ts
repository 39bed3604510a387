import { types } from "node:util";

import {
  guardCodes,
  identityCodes,
  nodeCodes,
  refusalCodes,
  sessionCodes,
  upstreamCodes,
} from "#core/error-codes.js";
import { IamError } from "#core/iam-error.js";
import { ProblemDetail } from "#core/problem-detail.js";
import { Reply } from "#core/reply.js";
import { isRuntimeFault, type TransitionPanic } from "#core/runtime-fault.js";
import { type FaultAnswer, faultAnswer } from "#http/fault-problem.js";
import { Refusal } from "#http/refusal.js";
import { withoutCredentials } from "#schema/credential-text.js";
import { BEYOND, type HiddenTexts } from "#schema/hidden-texts.js";
import type { Redactor } from "#schema/redactor.js";
import type { TraceRow } from "../api/traces.js";

export type FaultReason = Omit<NonNullable<TraceRow["fault"]>, "node" | "label">;

const MAX_NAME = 200;
const MAX_TEXT = 1000;
/** Of a value that is against its schema, the first. */
const MAX_ERRORS = 5;

/** What may be seen of an error beyond what its answer says. */
export interface SeenErrors {
  /** For an error that says no status itself. */
  readonly redactor: Redactor;
  /** What was masked of the values of its run. */
  readonly hidden: HiddenTexts;
  /** False where values are not captured: nobody knows what a message has of them, and it is in the log alone. */
  readonly showsMessages: boolean;
  /** False where nobody knows what was masked of the values: what an error is called is all that is said. Default: true. */
  readonly showsDetail?: boolean;
}

/** Why something failed that nobody is answered, in words: asks the program's own error what it says. */
export const faultReason = (error: unknown, seen: SeenErrors): FaultReason =>
  // What the reader of the input refuses is a fault of the run like others.
  answeredReason(error instanceof Refusal ? error : faultAnswer(error, false), error, seen);

/** Why a run failed, in words: what the answer to its error says, and of what that hides as much as may be seen. */
export function answeredReason(
  answer: Refusal | FaultAnswer | Reply<unknown>,
  error: unknown,
  seen: SeenErrors,
): FaultReason {
  const problem = answer instanceof Reply ? answer.body : answer.problem;
  if (!(problem instanceof ProblemDetail)) {
    const { status } = answer as Reply<unknown>;
    return { code: null, status, title: `Answered with status ${status}`, detail: refusalOf(error, seen) };
  }
  const { code, status, title } = problem;
  const report = answer instanceof Reply || answer instanceof Refusal ? undefined : answer.report;
  const said = report === undefined ? detailOf(problem) : reportedDetail(report, seen);
  const detail = seen.showsDetail === false ? null : (said ?? refusalOf(error, seen));
  return {
    code: named(code),
    status,
    title: text(title, seen),
    detail: detail === null ? null : text(detail, seen),
  };
}

/**
 * Why nobody was let in, which no client learns: what a policy needs, what is wrong with a token.
 * Null where that is an error's own message, which has what nobody knows in it: it is in the log.
 */
function refusalOf(error: unknown, seen: SeenErrors): string | null {
  if (!(error instanceof IamError) || error.reason === undefined || seen.showsDetail === false) return null;
  if (error.kind === "VerifierUnavailable" && !seen.showsMessages) return null;
  return text(error.reason, seen);
}

/** Whether the program is asked what the answer to an error is: who only watches does not. */
export function needsProgram(error: unknown): boolean {
  if (isRuntimeFault(error)) return error.code === "TRANSITION_PANIC";
  return !(error instanceof Refusal || error instanceof ProblemDetail);
}

/** The same before it is answered, or where it never is: of what the program would be asked, what can be seen. */
export function foreseenReason(error: unknown, seen: SeenErrors): FaultReason {
  if (!needsProgram(error)) return faultReason(error, seen);
  if (isRuntimeFault(error)) {
    const { step } = error as TransitionPanic;
    return {
      code: "INTERNAL_ERROR",
      ...refusalCodes.INTERNAL_ERROR,
      detail: text(`Step '${step}' threw`, seen),
    };
  }
  const code = codeOf(error);
  const own = code === undefined ? undefined : OWN_CODES.get(code);
  return {
    code: named(code),
    status: own?.status ?? null,
    title: own?.title ?? text(nameOf(error), seen),
    detail: refusalOf(error, seen),
  };
}

/** What the framework's own errors are called. */
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

/** Without running anybody's code. */
function memberOf(error: unknown, name: string): string | undefined {
  if (typeof error !== "object" || error === null || types.isProxy(error)) return undefined;
  const member: unknown = Object.getOwnPropertyDescriptor(error, name)?.value;
  return typeof member === "string" ? member : undefined;
}

/** What an error is called, at no cost but some looks: tells causes apart. */
export function causeOf(error: unknown): string {
  if (isRuntimeFault(error) && error.code === "TRANSITION_PANIC") return `${error.code} ${error.step}`;
  return (codeOf(error) ?? memberOf(error, "kind") ?? nameOf(error)).slice(0, MAX_NAME);
}

/** What a program calls its fault: one word, or its class. */
function nameOf(error: unknown): string {
  if (typeof error === "string") return WORD.test(error) ? error : "a text";
  if (typeof error !== "object" || error === null) return `a fault of type ${typeof error}`;
  if (types.isProxy(error)) return "a fault";
  const prototype: unknown = Object.getPrototypeOf(error);
  if (typeof prototype !== "object" || prototype === null || types.isProxy(prototype)) return "a fault";
  const made: unknown = Object.getOwnPropertyDescriptor(prototype, "constructor")?.value;
  if (typeof made !== "function" || types.isProxy(made) || made === Object) return "a fault";
  const name: unknown = Object.getOwnPropertyDescriptor(made, "name")?.value;
  return typeof name === "string" && name !== "" ? name : "a fault";
}

export const isAbort = (error: unknown): boolean => isRuntimeFault(error) && error.code === "RUN_ABORTED";

function detailOf({ detail, errors = [] }: ProblemDetail): string | null {
  const named = errors
    .slice(0, MAX_ERRORS)
    .map(({ pointer, expected }) => `${pointer === "" ? "the value" : pointer}: ${expected}`);
  const more = errors.length > MAX_ERRORS ? [`${errors.length - MAX_ERRORS} more`] : [];
  const all = [...(detail === undefined ? [] : [detail]), ...named, ...more];
  return all.length === 0 ? null : all.join("; ");
}

type FaultReport = NonNullable<FaultAnswer["report"]>;

/** The message of a report, which quotes the error behind its first colon, with what may be seen in that place. */
function reportedDetail({ message, step, code, error }: FaultReport, seen: SeenErrors): string {
  const at = message.indexOf(": ");
  if (step === undefined && at < 0) return message;
  const what = step === undefined ? message.slice(0, at) : `Step '${step}' threw`;
  return `${what}: ${shownError(error, code, seen)}`;
}

/** A fault that is one word is what a program calls it. */
const WORD = /^[A-Za-z][A-Za-z_.-]{0,63}$/;

function shownError(error: unknown, code: string, { redactor, hidden, showsMessages }: SeenErrors): string {
  try {
    if (!showsMessages && error instanceof Error)
      return `${classOf(error)} (${code}: its message is in the log)`;
    if (error instanceof Error) return String(error.message);
    if (!showsMessages && typeof error === "string" && !WORD.test(error))
      return `a text (${code}: it is in the log)`;
    const { value } = redactor.redact(error, undefined, hidden);
    return JSON.stringify(value);
  } catch {
    return `what cannot be read (${code})`;
  }
}

const classOf = ({ name }: Error): string => (/^[\w$.]{1,100}$/.test(name) ? name : "Error");

function text(given: unknown, { hidden }: SeenErrors): string {
  const read = String(given).slice(0, MAX_TEXT + BEYOND);
  return withoutCredentials(hidden.masked(read).slice(0, MAX_TEXT), true);
}

const named = (code: unknown): string | null =>
  typeof code === "string" && code !== "" ? code.slice(0, MAX_NAME) : null;

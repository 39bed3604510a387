import type { ReportCode } from "../error-codes.js";
import { withoutCredentials } from "../wire/credential-text.js";

/** Something that went wrong beside the answer: a thrown exception, a sink that failed. */
export interface Report {
  readonly code: ReportCode;
  readonly message: string;
  readonly error?: unknown;
  /** Where: Axon and step, as far as known. */
  readonly axon?: string;
  readonly step?: string;
  readonly requestId?: string;
  /** Where the request stands in its trace, if its route reads that. */
  readonly traceId?: string;
  readonly spanId?: string;
}

/** Told of failures that no caller sees. Must not throw; nobody waits for what it answers. */
export type Reporter = (report: Report) => void;

/** For Axons that run in no server: a Node.js process warning. */
export const reportAsWarning: Reporter = ({ code, message, error }) => {
  const detail = thrownText(error);
  process.emitWarning(withoutCredentials(message), { type: "FrameworkWarning", code, detail });
};

/** The stack of an error, or any other thrown value as text, without credentials. */
export const thrownText = (error: unknown): string => withoutCredentials(detailOf(error));

/** Anything can be thrown, also what throws when it is read or made a text. */
function detailOf(error: unknown): string {
  if (error === undefined) return "";
  try {
    return String(error instanceof Error ? (error.stack ?? error.message) : error);
  } catch {
    return `What was thrown, of type ${typeof error}, cannot be shown as text`;
  }
}

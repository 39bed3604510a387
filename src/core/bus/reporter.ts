import type { ReportCode } from "../error-codes.js";
import { withoutCredentials } from "../wire/credential-text.js";

/** A failure beside the response: a thrown exception, a sink that failed. */
export interface Report {
  readonly code: ReportCode;
  readonly message: string;
  readonly error?: unknown;
  /** Axon and step, if known. */
  readonly axon?: string;
  readonly step?: string;
  readonly requestId?: string;
  /** Trace id of the request, if its route reads the trace context. */
  readonly traceId?: string;
  readonly spanId?: string;
}

/** Receives failures that no caller sees. Must not throw. Its return value is ignored. */
export type Reporter = (report: Report) => void;

/** For Axons without a server: emits a Node.js process warning. */
export const reportAsWarning: Reporter = ({ code, message, error }) => {
  const detail = thrownText(error);
  process.emitWarning(withoutCredentials(message), { type: "FrameworkWarning", code, detail });
};

/** Stack of an error, or any other thrown value as text. Credentials are removed. */
export const thrownText = (error: unknown): string => withoutCredentials(detailOf(error));

/** A thrown value can be anything, even an object that throws when it is read or converted to text. */
function detailOf(error: unknown): string {
  if (error === undefined) return "";
  try {
    return String(error instanceof Error ? (error.stack ?? error.message) : error);
  } catch {
    return `What was thrown, of type ${typeof error}, cannot be shown as text`;
  }
}

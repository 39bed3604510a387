import type { ReportCode } from "./error-codes.js";

/** Something that went wrong beside the answer: a thrown exception, a sink that failed. */
export interface Report {
  readonly code: ReportCode;
  readonly message: string;
  readonly error?: unknown;
  /** Where: Axon and step, as far as known. */
  readonly axon?: string;
  readonly step?: string;
  readonly requestId?: string;
}

/** Told of failures that no caller sees. Must not throw; nobody waits for what it answers. */
export type Reporter = (report: Report) => void;

/** For Axons that run in no server: a Node.js process warning. */
export const reportAsWarning: Reporter = ({ code, message, error }) => {
  const detail =
    error instanceof Error ? (error.stack ?? error.message) : error === undefined ? "" : String(error);
  process.emitWarning(message, { type: "FrameworkWarning", code, detail });
};

import { createRequire } from "node:module";
import type { Logger, pino } from "pino";

import type { Reporter } from "#core/reporter.js";

// Loaded at the first report: a program where nothing fails does not pay for it.
const require = createRequire(import.meta.url);

let logger: Logger | undefined;

/** Writes reports to stderr as JSON lines. */
export const logReports: Reporter = ({ message, error, requestId, ...fields }) => {
  logger ??= errorLogger();
  logger.error(
    { ...fields, request_id: requestId, ...(error !== undefined && { err: asError(error) }) },
    message,
  );
};

function errorLogger(): Logger {
  const make = require("pino") as typeof pino;
  // Synchronous: what is reported last is often why the process ends.
  return make(
    { base: null, serializers: { err: make.stdSerializers.errWithCause } },
    make.destination({ fd: 2, sync: true }),
  );
}

const asError = (thrown: unknown): unknown => (thrown instanceof Error ? thrown : { thrown });

import type { BusView } from "#core/bus/bus.js";
import { type Pass, pass } from "#core/bus/outcome.js";
import { ClientIp, RequestId, RequestMethod, RequestPath, TraceContext } from "#core/facts/ingress-facts.js";
import { AccessLogEntry } from "#core/facts/response-facts.js";
import type { Guard } from "#core/flow/guard.js";
import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import type { AnswerObserver, AnswerRecord } from "#core/ports/answer-observer.js";
import { PathPatterns } from "../path-patterns.js";
import { AccessLine, type LineRules, UserAgent } from "./access-line.js";
import { LineEntry } from "./line-entry.js";
import type { LoggedParameters } from "./logged-fields.js";
import { LoggedHeaders } from "./logged-fields.js";

export interface AccessLogOptions {
  /**
   * Request headers to log, by name; at most 256 characters of each. Default none. A header with
   * the name of a secret (`authorization`, `cookie`, `x-api-key`, a name with "token") is logged as
   * present, without its value. An address (`referer`) is logged as its origin.
   */
  readonly headers?: readonly string[];
  /**
   * The query: its first hundred parameters, or the listed ones among them; at most 1024 characters.
   * Default false. Values with names of secrets are redacted.
   */
  readonly query?: boolean | readonly string[];
  /** Paths to redact, as for {@link AccessLogGuard.redactPaths}. */
  readonly redactPaths?: readonly string[];
  /** Paths without a line for responses below 400: exact, or as "/assets/*". */
  readonly skip?: readonly string[];
}

type Reads = typeof RequestMethod | typeof RequestPath;

/**
 * Writes one log line for each finished response of the routes behind it, or of the whole ingress.
 * Module `http.access`, level info. If a route has several of these guards, the innermost one
 * writes the line. Admits every request.
 */
export class AccessLogGuard implements Guard<never, Reads, typeof AccessLogEntry> {
  readonly name = "AccessLogGuard";
  readonly kind = "guard";
  readonly reads = [RequestMethod, RequestPath] as const;
  readonly writes = [AccessLogEntry] as const;
  readonly observer: AnswerObserver;
  readonly #options: AccessLogOptions;
  readonly #rules: LineRules;
  readonly #skipped: PathPatterns;

  /** Throws CONFIG_INVALID. */
  constructor(options: AccessLogOptions = {}) {
    requireKnownOptions("AccessLogGuard", options, ["headers", "query", "redactPaths", "skip"]);
    const { headers = [], query = false, redactPaths = [], skip = [] } = options;
    const redacted = new PathPatterns(redactPaths, "AccessLogGuard.redactPaths");
    this.#options = options;
    this.#rules = {
      redacted,
      parameters: parametersOf(query),
      headers: new LoggedHeaders(headers, "AccessLogGuard({ headers })"),
    };
    this.#skipped = new PathPatterns(skip, "AccessLogGuard({ skip })");
    const line = new AccessLine(this.#rules);
    this.observer = {
      writesLine: true,
      reads: [ClientIp, RequestId, TraceContext, AccessLogEntry, UserAgent, ...this.#rules.headers.keys],
      answered: (answer, log) => {
        if (!log.isEnabled || this.#skips(answer)) return;
        log.write(line.of(answer), answer.isAborted ? "aborted" : "answered");
      },
    };
  }

  /**
   * Returns a guard that also redacts these paths: exact ones ("/login"), logged as "[redacted]", and
   * prefixes ("/users/*"), logged as "/users/[redacted]". Matches any percent-encoding and any case.
   * Throws CONFIG_INVALID.
   */
  redactPaths(paths: readonly string[]): AccessLogGuard {
    const { redactPaths = [] } = this.#options;
    const added = Array.isArray(paths) ? [...redactPaths, ...paths] : paths;
    return new AccessLogGuard({ ...this.#options, redactPaths: added });
  }

  readonly run = (input: unknown, bus: BusView<Reads, typeof AccessLogEntry, never, never>): Pass => {
    bus.set(
      AccessLogEntry,
      new LineEntry(bus.get(RequestMethod), bus.get(RequestPath), this.#rules.redacted),
    );
    return pass(input);
  };

  /** Only a path spelled exactly as listed is skipped: a disguised path belongs in the log. */
  #skips({ path, status, isAborted }: AnswerRecord): boolean {
    return status < 400 && !isAborted && this.#skipped.has(path);
  }
}

function parametersOf(query: boolean | readonly string[]): LoggedParameters {
  if (typeof query === "boolean") return query ? "all" : "none";
  if (Array.isArray(query) && query.every((name) => typeof name === "string")) return new Set(query);
  throw invalidOption("AccessLogGuard({ query })", "use true, false, or a list of the names of parameters");
}

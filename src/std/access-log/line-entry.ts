import type { AccessLogEntry, LoggedValue } from "#core/facts/response-facts.js";
import { cutText } from "../cut-text.js";
import { MAX_PATH, type PathPatterns } from "../path-patterns.js";

const MAX_FIELDS = 16;
const MAX_NAME = 64;
const MAX_TEXT = 256;

/** Names of the line's own members, and of members that the log adds. */
const TAKEN: ReadonlySet<string> = new Set(
  (
    "level time module msg method path query route status duration_ms bytes client " +
    "request_id trace_id span_id user_agent headers aborted"
  ).split(" "),
);

const NONE: ReadonlyMap<string, LoggedValue> = new Map();

export class LineEntry implements AccessLogEntry {
  readonly method: string;
  readonly #rawPath: string;
  readonly #redacted: PathPatterns;
  /** Made with the first field: most requests have none. */
  #fields: Map<string, LoggedValue> | undefined = undefined;

  constructor(method: string, rawPath: string, redacted: PathPatterns) {
    this.method = method;
    this.#rawPath = rawPath;
    this.#redacted = redacted;
  }

  get path(): string {
    return this.#redacted.redacted(this.#rawPath) ?? cutText(this.#rawPath, MAX_PATH);
  }

  get fields(): ReadonlyMap<string, LoggedValue> {
    return this.#fields ?? NONE;
  }

  add(fields: Readonly<Record<string, LoggedValue>>): void {
    this.#fields ??= new Map();
    for (const [given, value] of Object.entries(fields ?? {})) {
      const name = TAKEN.has(given) ? `${given}_` : cutText(given, MAX_NAME);
      if (this.#fields.size < MAX_FIELDS || this.#fields.has(name)) this.#fields.set(name, plain(value));
    }
  }
}

/** An untyped caller may pass any value: it must not end the run, and it is not traversed. */
function plain(value: unknown): LoggedValue {
  if (typeof value === "string") return cutText(value, MAX_TEXT);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  return typeof value === "boolean" || value === null ? value : `[${typeof value}]`;
}

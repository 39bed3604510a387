// One line of the access log. Text from the client is truncated and JSON-escaped.

import { ClientIp, header, RequestId, TraceContext } from "#core/facts/ingress-facts.js";
import { AccessLogEntry, type LoggedValue } from "#core/facts/response-facts.js";
import type { AnswerRecord } from "#core/ports/answer-observer.js";
import { jsonMember, jsonText } from "#core/wire/json-text.js";
import { hasSecretParameter, redactedPath } from "#schema/redaction/redacted-path.js";
import { cutText } from "../cut-text.js";
import { MAX_PATH, type PathPatterns } from "../path-patterns.js";
import type { LoggedHeaders } from "./logged-fields.js";
import { type LoggedParameters, loggedQuery } from "./logged-fields.js";

/** Characters. */
const MAX_METHOD = 32;
const MAX_QUERY = 1024;
const MAX_ID = 128;
const MAX_USER_AGENT = 256;

export const UserAgent = header("user-agent");

export interface LineRules {
  readonly redacted: PathPatterns;
  readonly parameters: LoggedParameters;
  readonly headers: LoggedHeaders;
}

/** The start of the lines of one route without parameters. */
interface Beginning {
  readonly method: string;
  readonly status: number;
  readonly text: string;
}

/** Builds the members of log lines, a comma before each. */
export class AccessLine {
  readonly #rules: LineRules;
  /** The last beginning of each route: most responses of a route have the same one. Bounded by the number of routes. */
  readonly #beginnings = new Map<string, Beginning>();
  /** By route: true if a part of its paths is a secret. */
  readonly #secrets = new Map<string, boolean>();

  constructor(rules: LineRules) {
    this.#rules = rules;
  }

  of(answer: AnswerRecord): string {
    const duration = millisecondsText(answer.durationMs);
    return `${this.#beginningOf(answer)}${duration},"bytes":${answer.bytes}${this.#rest(answer)}`;
  }

  #beginningOf(answer: AnswerRecord): string {
    const { route, path, query, method, status } = answer;
    if (path !== route || query !== undefined)
      return beginning(answer, this.#rules, this.#hidesPart(route) ? redactedPath(path, route) : path);
    const known = this.#beginnings.get(route);
    if (known !== undefined && known.method === method && known.status === status) return known.text;
    const text = beginning(answer, this.#rules, path);
    this.#beginnings.set(route, { method, status, text });
    return text;
  }

  #hidesPart(route: string | undefined): boolean {
    if (route === undefined) return false;
    const known = this.#secrets.get(route);
    if (known !== undefined) return known;
    const hides = hasSecretParameter(route);
    this.#secrets.set(route, hides);
    return hides;
  }

  #rest(answer: AnswerRecord): string {
    const { headers } = this.#rules;
    let line = text(',"client":"', answer.find(ClientIp), MAX_ID);
    line += text(',"request_id":"', answer.find(RequestId), MAX_ID);
    const trace = answer.find(TraceContext);
    // Null if it was not fetched: an earlier part failed.
    if (trace !== undefined && trace !== null)
      line += text(',"trace_id":"', trace.traceId, MAX_ID) + text(',"span_id":"', trace.spanId, MAX_ID);
    line += text(',"user_agent":"', answer.find(UserAgent), MAX_USER_AGENT) + headers.of(answer);
    if (answer.isAborted) line += ',"aborted":true';
    const entry = answer.find(AccessLogEntry);
    return entry === undefined ? line : line + added(entry.fields);
  }
}

/** The members up to the duration. `shown` is the visible part of a path that is not redacted. */
function beginning(answer: AnswerRecord, { redacted, parameters }: LineRules, shown: string): string {
  const { path, query, route } = answer;
  const hidden = redacted.redacted(path);
  let line = text(',"method":"', answer.method, MAX_METHOD) + text(',"path":"', hidden ?? shown, MAX_PATH);
  if (query !== undefined && hidden === undefined)
    line += text(',"query":"', loggedQuery(query, parameters), MAX_QUERY);
  // Without parameters the route equals the path.
  if (route !== undefined && (hidden === undefined || HAS_PARAMETERS.test(route)))
    line += `,"route":${jsonText(route)}`;
  return `${line},"status":${answer.status},"duration_ms":`;
}

const HAS_PARAMETERS = /\/[:*]/;

const text = (before: string, value: string | undefined, max: number): string =>
  value === undefined || value === "" ? "" : jsonMember(before, cutText(value, max));

/** ".001" to ".999" and so on, by thousandths. Made at first use. */
const FRACTIONS: string[] = [];

/** The duration as JSON, to the microsecond. V8 takes 100 ns to format a fractional number. */
export function millisecondsText(ms: number): string {
  const thousandths = Math.round(ms * 1000);
  if (!(thousandths >= 0 && thousandths < MAX_THOUSANDTHS)) return `${thousandths / 1000}`;
  if (FRACTIONS.length === 0) for (let i = 0; i < 1000; i += 1) FRACTIONS.push(`${i / 1000}`.slice(1));
  return `${Math.floor(thousandths / 1000)}${FRACTIONS[thousandths % 1000]}`;
}

/** 35 minutes: larger values are no small integers of V8. */
const MAX_THOUSANDTHS = 2_147_483_648;

function added(fields: ReadonlyMap<string, LoggedValue>): string {
  let members = "";
  for (const [name, value] of fields)
    members += `,${jsonText(name)}:${typeof value === "string" ? jsonText(value) : value}`;
  return members;
}

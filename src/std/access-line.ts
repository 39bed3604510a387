// One line of the access log. What of it the client has sent is cut, and escaped by JSON.

import type { AnswerRecord } from "#core/answer-observer.js";
import { ClientIp, header, RequestId, TraceContext } from "#core/ingress-facts.js";
import { jsonMember, jsonText } from "#core/json-text.js";
import { AccessLogEntry, type LoggedValue } from "#core/response-facts.js";
import { cutText } from "./cut-text.js";
import type { LoggedHeaders } from "./logged-headers.js";
import { type LoggedParameters, loggedQuery } from "./logged-query.js";
import { MAX_PATH, type PathPatterns } from "./path-patterns.js";

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

/** The members of an answer's line, a comma before each. */
export function accessLine(answer: AnswerRecord, { redacted, parameters, headers }: LineRules): string {
  const { path, query, route } = answer;
  const hidden = redacted.redacted(path);
  let line = text(',"method":"', answer.method, MAX_METHOD) + text(',"path":"', hidden ?? path, MAX_PATH);
  if (query !== undefined && hidden === undefined)
    line += text(',"query":"', loggedQuery(query, parameters), MAX_QUERY);
  // A route without parameters is the path once more.
  if (route !== undefined && (hidden === undefined || HAS_PARAMETERS.test(route)))
    line += `,"route":${jsonText(route)}`;
  line += `,"status":${answer.status},"duration_ms":${rounded(answer.durationMs)},"bytes":${answer.bytes}`;
  line += text(',"client":"', answer.find(ClientIp), MAX_ID);
  line += text(',"request_id":"', answer.find(RequestId), MAX_ID);
  const trace = answer.find(TraceContext);
  // Null where it was not fetched: something failed before.
  line += text(',"trace_id":"', trace?.traceId, MAX_ID) + text(',"span_id":"', trace?.spanId, MAX_ID);
  line += text(',"user_agent":"', answer.find(UserAgent), MAX_USER_AGENT) + headers.of(answer);
  if (answer.isAborted) line += ',"aborted":true';
  const entry = answer.find(AccessLogEntry);
  return entry === undefined ? line : line + added(entry.fields);
}

const HAS_PARAMETERS = /\/[:*]/;

const text = (before: string, value: string | undefined, max: number): string =>
  value === undefined || value === "" ? "" : jsonMember(before, cutText(value, max));

/** To the microsecond. */
const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;

function added(fields: ReadonlyMap<string, LoggedValue>): string {
  let members = "";
  for (const [name, value] of fields)
    members += `,${jsonText(name)}:${typeof value === "string" ? jsonText(value) : value}`;
  return members;
}

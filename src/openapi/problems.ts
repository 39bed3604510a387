// Problem documents as components: the schema of all of them, and a response for each status with the
// problems that it can be.

import type { DeclaredResponse } from "#core/bus/declared-response.js";
import { refusalCodes } from "#core/error-codes.js";
import { PROBLEM } from "./described-responses.js";
import type { JsonSchema } from "./json-schema.js";
import { pascal } from "./schema-components.js";

const TEXT = { type: "string" };

/** RFC 9457, and what the ingress adds. */
export const problemSchema: JsonSchema = {
  type: "object",
  description: "Why a request was refused or failed (RFC 9457).",
  properties: {
    type: { type: "string", format: "uri-reference", description: "The kind of problem." },
    title: { type: "string", description: "The same for each problem of this code." },
    status: { type: "integer", minimum: 400, maximum: 599 },
    detail: { type: "string", description: "What is particular about this one." },
    instance: { type: "string", description: "The path of the request." },
    code: { type: "string", description: "Stable, for programs." },
    request_id: { type: "string", description: "Names the request in the log of the server." },
    errors: {
      type: "array",
      description: "Where the input is wrong.",
      items: {
        type: "object",
        properties: {
          pointer: { type: "string", description: "A JSON Pointer (RFC 6901) into the input." },
          keyword: TEXT,
          expected: TEXT,
        },
        required: ["pointer", "keyword", "expected"],
      },
    },
  },
  required: ["type", "title", "status", "instance", "code", "request_id"],
};

export const PROBLEM_REFERENCE = { $ref: "#/components/schemas/ProblemDetail" };

/** "Problem404OrderUnknown". */
export const problemName = (status: number, problems: readonly DeclaredResponse[]): string =>
  `Problem${status}${problems.map(({ code = "" }) => pascal(code.toLowerCase())).join("")}`;

export function problemContent(
  status: number,
  problems: readonly DeclaredResponse[],
  own?: JsonSchema,
): object {
  const schema = own === undefined ? PROBLEM_REFERENCE : { allOf: [PROBLEM_REFERENCE, own] };
  // A problem with members of its own would not be a valid example without them.
  const examples =
    own === undefined ? problems.map((one) => [one.code, { value: exampleOf(status, one) }]) : [];
  return {
    [PROBLEM]: { schema, ...(examples.length > 0 && { examples: Object.fromEntries(examples) }) },
  };
}

const exampleOf = (status: number, { code, title = "" }: DeclaredResponse): object => ({
  type: "about:blank",
  title,
  status,
  instance: "/",
  code,
  request_id: "01890a5d-ac96-774b-bcce-b302099a8057",
});

/** What any request can be refused with, whatever its route. */
export const EVERYWHERE = [
  "FRAMING_INVALID",
  "HEADER_REPEATED",
  "HOST_INVALID",
  "TARGET_INVALID",
  "NOT_FOUND",
  "METHOD_NOT_ALLOWED",
  "BODY_TOO_LARGE",
  "TARGET_TOO_LONG",
  "EXPECTATION_UNKNOWN",
  "HOST_UNSERVED",
  "CODING_UNSUPPORTED",
  "METHOD_UNKNOWN",
] as const;

const row = (code: (typeof EVERYWHERE)[number]): string => {
  const { status, title } = refusalCodes[code];
  return `- ${status} \`${code}\`: ${title}`;
};

/** For `info.description`: once, and not at each operation. */
export const everywhere = `Responses of every path

Beside what each operation lists, any request can be refused with a problem document:

${EVERYWHERE.map(row).join("\n")}

Three are sent without a document, before the request is read: 400 for a malformed head, 431 for one that is
too large, 505 for a version of HTTP other than 1.1. A \`default\` response stands for all of these.`;

// Requests that are malformed, or unusual, below the level of schemas.

import type { RouteInfo } from "#http/plan/route-info.js";
import { type Choice, oneOf } from "#schema/sample/choice.js";
import type { FuzzRequest } from "./fuzz-request.js";

type Drawn = Omit<FuzzRequest, "route" | "as" | "peer">;

/** Larger bodies take too long. */
const MAX_BODY_BYTES = 262_144;
const DEEP = 2500;

const QUERIES = ["%zz", "a=%00", "a=1&a=2", "__proto__=1", "a[b][c]=1", "&&=", "%F0%28%8C%28=1"] as const;

const HEADERS: readonly Readonly<Record<string, string>>[] = [
  { accept: "image/png;q=0.1" },
  { accept: "text/html" },
  { "accept-encoding": "gzip, br" },
  { authorization: "Bearer none" },
  { authorization: "Basic" },
  { "content-encoding": "gzip" },
  { "idempotency-key": "the-same" },
  { "if-match": '"none"' },
  { "if-none-match": "*" },
  { "if-modified-since": "yesterday" },
  { origin: "https://elsewhere.example" },
  { range: "bytes=9-1" },
  { "sec-fetch-site": "cross-site" },
];

const MEDIA = [
  "text/plain",
  "application/xml",
  "application/json; charset=latin1",
  "json",
  "multipart/form-data",
];

export function malformed(drawn: Drawn, { bodyLimit }: RouteInfo, choice: Choice): Drawn {
  const { json, form, multipart, text, base64, ...bodiless } = drawn;
  const hasBody = [json, form, multipart, text].some((body) => body !== undefined);
  const wrong = oneOf(
    choice,
    hasBody ? (["query", "header", "body", "media"] as const) : (["query", "header"] as const),
  );
  const withHeaders = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
    ...drawn.headers,
    ...headers,
  });
  switch (wrong) {
    case "query":
      return { ...drawn, rawQuery: oneOf(choice, QUERIES) };
    case "header":
      return { ...drawn, headers: withHeaders(oneOf(choice, HEADERS)) };
    case "media":
      return { ...drawn, headers: withHeaders({ "content-type": oneOf(choice, MEDIA) }) };
    case "body": {
      const type = json === undefined ? "application/x-www-form-urlencoded" : "application/json";
      return {
        ...bodiless,
        headers: withHeaders({ "content-type": type }),
        ...oneOf(choice, bodies(bodyLimit)),
      };
    }
  }
}

const bodies = (limit: number): readonly Pick<FuzzRequest, "text" | "base64">[] => [
  {},
  { text: "{" },
  { text: '{"__proto__":{"admin":true}}' },
  { text: "[".repeat(DEEP) },
  { text: '"\\ud800"' },
  { text: "1e999" },
  { base64: "/v8A" },
  ...(limit < MAX_BODY_BYTES ? [{ text: " ".repeat(limit + 1) }] : []),
];

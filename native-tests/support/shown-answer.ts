// Answers as pages of the documentation show them.

import assert from "node:assert/strict";
import { STATUS_CODES } from "node:http";

import type { TestResponse } from "framework/http";

/** Compares a problem as a page shows it, head and body, with what is answered; the request's id differs. */
export function assertShown(shown: string, answer: TestResponse): void {
  const [head = "", body = ""] = shown.trimEnd().split("\n\n");
  const [status, ...lines] = head.split("\n");

  assert.equal(status, `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`);
  assert.deepEqual(
    lines,
    Object.entries(answer.headers)
      .filter(([name]) => name !== "content-length")
      .map(([name, value]) => `${name}: ${value}`),
  );
  assert.deepEqual({ ...answer.problem, request_id: "" }, { ...JSON.parse(body), request_id: "" });
}

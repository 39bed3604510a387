import assert from "node:assert/strict";
import { test } from "node:test";

import { redactedPath } from "#schema/redaction/redacted-path.js";

test("a path is shown without the parameters that are named like a secret, and without tokens", () => {
  for (const [path, route, shown] of [
    ["/orders/7", "/orders/:id", "/orders/7"],
    ["/reset/t-1/now", "/reset/:token/now", "/reset/[redacted]/now"],
    ["/reset/t-1/now", "GET /reset/:token/now", "/reset/[redacted]/now"],
    ["/all/t-1/t-2", "/all/*secret", "/all/[redacted]"],
    ["/all/a/b", "/all/*rest", "/all/a/b"],
    ["/of/t-1/a/b", "/of/:token/*rest", "/of/[redacted]/a/b"],
    ["/reset//t-1", "/reset/:token", "[redacted]"],
    ["/cb/eyJhbGciOiJI.eyJzdWIi.c2ln", "/cb/:x", "/cb/[redacted]"],
    ["/wp/password=hunter22", undefined, "/wp/password=[redacted]"],
    [`/${"a".repeat(2000)}`, undefined, `/${"a".repeat(1023)}`],
    [`/${"a".repeat(2000)}/t-1`, "/:name/:token", `/${"a".repeat(1023)}`],
  ] as const)
    assert.equal(redactedPath(path, route), shown);
});

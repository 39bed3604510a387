import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

import { Problem, remedyOf, sayingOf } from "../../../src/inspector/ui/client/problem.js";
import { fromRoot } from "../../support/root.js";

const VIEWS = fromRoot("src/inspector/ui/views");
const remedy = (status: number, asked?: Parameters<typeof remedyOf>[1]): string =>
  remedyOf(new Problem(status, {}), asked) ?? "";

describe("what the page says can be done about a problem", () => {
  test("is nothing where what is shown is asked for again by itself", () => {
    for (const status of [0, 500, 503]) assert.match(remedy(status), /Retries automatically/);
  });

  test("says of nothing else that it is asked for again, and what may have been done", () => {
    for (const status of [0, 500, 503]) {
      for (const asked of ["once", "action"] as const)
        assert.doesNotMatch(remedy(status, asked), /automatically/);
      assert.match(remedy(status, "once"), /Nothing was changed/);
      assert.match(remedy(status, "action"), /result is unknown/);
    }
    for (const status of [500, 503]) assert.match(remedy(status, "action"), /server's log/);
  });

  test("does not depend on that where the server has refused it", () => {
    for (const status of [400, 401, 403, 404, 409, 501]) {
      const said = (["shown", "once", "action"] as const).map((asked) => remedy(status, asked));
      assert.equal(new Set(said).size, 1, String(status));
    }
  });

  test("is a sentence behind what is said of the problem, which is one too", () => {
    const said = (status: number, document: Readonly<Record<string, unknown>>): string =>
      sayingOf(new Problem(status, document), "action");

    assert.match(said(500, { title: "Internal server error" }), /^Internal server error\. The result/);
    assert.match(said(503, { title: "Busy", detail: "Come back later." }), /^Come back later\. The result/);
    assert.match(said(0, {}), /^No response\. The result/);
    assert.equal(said(409, { title: "Conflict", detail: "The run is over" }), "The run is over");
  });
});

// What a view keeps itself was asked for by hand; what useResource keeps is asked for again.
test("each problem that a view keeps itself is shown as one of what was asked for by hand", () => {
  const kept = /<Wrong problem=\{\w+\.problem\}(?! asked=| onAgain=)[^>]*>/g;
  const shown = readdirSync(VIEWS, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".tsx"))
    .flatMap((name) => {
      const text = readFileSync(join(VIEWS, name), "utf8");
      return [...text.matchAll(kept)].map(([tag]) => `${name} ${tag}`);
    });

  // Asked for by useResource, without a button.
  assert.deepEqual(shown, ["circuit/node-runs.tsx <Wrong problem={slowest.problem} />"]);
});

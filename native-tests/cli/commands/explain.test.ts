import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { moduleOf } from "../../support/root.js";
import { runCommand } from "../../support/run-command.js";

const APP = moduleOf("native-tests/support/explained-app.ts");
const explain = (...args: readonly string[]) => runCommand(["explain", APP, ...args]);
const JSON_TYPE = ["--header", "Content-Type: application/json"];

describe("framework explain", () => {
  test("prints the stages in the order in which a request meets them", async () => {
    const { stdout } = await explain("POST", "/notes");

    assert.deepEqual(
      [...stdout.matchAll(/^(layer|guard|iam|input|step) +(.+?) {2}/gm)].map(([, stage, name]) => [
        stage,
        name,
      ]),
      [
        ["layer", "timing"],
        ["guard", "RateLimitGuard"],
        ["guard", "ContentTypeGuard"],
        ["iam", "iam"],
        ["input", "json Note"],
      ],
    );
    assert.match(stdout, /^limits {2}body 1048576 bytes, 30000 ms$/m);
    assert.match(stdout, /^ {2}1 store {2}reads header:if-match/m);
    assert.match(stdout, /^Responds 200 Note; or .*504 ROUTE_TIMEOUT/m);
  });

  test("prints the successes that the document has", async () => {
    const responds = async (...request: readonly string[]) =>
      /^Responds (.*?);/m.exec((await explain(...request)).stdout)?.[1];

    assert.equal(await responds("DELETE", "/notes/1"), "204");
    assert.equal(await responds("PUT", "/notes/1"), "200, 201 Note");
  });

  const verdicts: readonly (readonly [string, readonly string[], number, RegExp])[] = [
    ["a caller without an identity", ["POST", "/notes"], 1, /^Refused by iam iam: 401 TOKEN_MISSING/m],
    [
      "a role that the policy does not let in",
      ["POST", "/notes", "--as", "guest"],
      1,
      /^Refused by iam iam: 403 ROLE_INSUFFICIENT, missing role "clerk"$/m,
    ],
    [
      "a body of another type",
      ["POST", "/notes", "--as", "clerk", "--body", "x", "--header", "content-type: text/plain"],
      1,
      /^Refused by guard ContentTypeGuard: 415 CONTENT_TYPE_REFUSED/m,
    ],
    [
      "a body against the schema",
      ["POST", "/notes", "--as", "clerk", ...JSON_TYPE, "--body", '{"text":""}'],
      1,
      /^Refused by input json Note: 422 INPUT_INVALID, .*\/text: /m,
    ],
    [
      "a parameter that cannot be read",
      ["GET", "/notes/seven"],
      1,
      /^Refused by input parameters: 400 PARAMETER_INVALID, .*\/id: /m,
    ],
    [
      "a guard's header that is missing",
      ["GET", "/keyed", "--header", "cookie: cart=1"],
      1,
      /^Refused by guard keyed: 400 HEADER_MISSING, no header x-key is given$/m,
    ],
    [
      "a guard's cookie that is missing",
      ["GET", "/keyed", "--header", "x-key: 1", "--header", "cookie: cartoon=1"],
      1,
      /400 HEADER_MISSING, no cookie cart is given$/m,
    ],
    [
      "a guard's header and cookie that are given",
      ["GET", "/keyed", "--header", "x-key: 1", "--header", "cookie: a=b; cart=1"],
      0,
      /^guard +keyed +unknown /m,
    ],
    [
      "a path without a route",
      ["GET", "/letters"],
      1,
      /^No route serves GET \/letters: 404 NOT_FOUND\. Served: GET/m,
    ],
    ["another method", ["DELETE", "/notes"], 1, /405 METHOD_NOT_ALLOWED\. Served: POST \/notes$/m],
    ["a request that fits", ["GET", "/notes/7"], 0, /^Nothing that is declared refuses it\.$/m],
    ["HEAD as its GET route", ["HEAD", "/notes/7"], 0, /^route {3}GET \/notes\/:id$/m],
    [
      "what needs a run as undecided",
      ["POST", "/notes", ...["--header", "authorization: Bearer t"]],
      0,
      /^Undecided:\n {2}RateLimitGuard: it decides when it runs\n {2}iam: .*--as ROLE\n {2}json Note: .*--body TEXT$/m,
    ],
  ];
  for (const [what, args, code, verdict] of verdicts)
    test(`judges ${what}`, async () => {
      const { status, stdout, stderr } = await explain(...args);

      assert.deepEqual([status, stderr], [code, ""]);
      assert.match(stdout, verdict);
    });

  test("has the same as JSON", async () => {
    const { stdout } = await explain("POST", "/notes", "--json");
    const { method, path, stages, limits } = JSON.parse(stdout);

    assert.deepEqual([method, path, limits.bodyLimit], ["POST", "/notes", 1_048_576]);
    assert.equal(
      stages.find(({ stage }: { stage: string }) => stage === "iam").verdict.code,
      "TOKEN_MISSING",
    );
  });

  test("is 2 for words that are missing or wrong, and shows how they are written", async () => {
    for (const [args, message] of [
      [["GET"], /: framework explain MODULE METHOD PATH, as in /],
      [["/notes", "GET"], /'\/notes' is no method/],
      [["GET", "notes"], /the path 'notes' does not begin with \//],
      [["GET", "/notes", "--header", "x"], /--header 'x' .*: write --header "content-type: /],
    ] as const) {
      const { status, stderr } = await explain(...args);
      assert.equal(status, 2);
      assert.match(stderr, message);
    }
  });
});

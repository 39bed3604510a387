import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { testFile } from "#fuzz/test-file.js";

const file = (requests: readonly object[], isReproduced = true) =>
  testFile(
    {
      seed: 7,
      routes: [],
      failures: [{ route: "POST /", message: "500", times: 1, requests: requests as never, isReproduced }],
      isShrunk: true,
    },
    {
      module: "./app.js",
      ingress: "default",
      exports: ["resources"],
      options: {},
      command: "node --test a",
    },
  );

describe("a written test", () => {
  test("imports what the module exports", () => {
    assert.match(file([]), /^import \{ default as ingress, resources \} from "\.\/app\.js";$/m);
    assert.match(file([]), /^const application = \{ ingress, resources \};$/m);
  });

  test("has own properties of any name, and visible ASCII alone", async () => {
    const json = JSON.parse('{"__proto__":{"a":1},"name":"\\u202ename \\ud83d\\ude00"}');
    const [, literal = ""] = /\[\n(.*),\n {2}\]/.exec(file([{ route: "POST /", json }])) ?? [];

    assert.match(literal, /^[\x20-\x7e]*$/);
    assert.deepEqual(new Function(`return ${literal}`)().json, json);
  });

  test("says where a failure did not come again", () => {
    assert.match(file([], false), /did not happen again .*\.\ntest\(/);
    assert.doesNotMatch(file([]), /did not happen again/);
  });
});

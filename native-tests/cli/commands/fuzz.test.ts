import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

import { folderWith } from "../../support/config-folder.js";
import { fromRoot, moduleOf } from "../../support/root.js";
import { runCommand } from "../../support/run-command.js";

const faulty = moduleOf("native-tests/support/faulty-app.ts");

const fuzz = (args: readonly string[]) => runCommand(["fuzz", ...args]);

describe("framework fuzz", () => {
  test("is 0 where it finds nothing, and writes no file", async () => {
    const out = join(folderWith({}), "found.test.mjs");
    const { status, stdout, stderr } = await fuzz([
      faulty,
      "--route",
      "/orders",
      "--seed",
      "2",
      "--runs",
      "20",
      "--out",
      out,
    ]);

    assert.deepEqual([status, stderr], [0, ""]);
    assert.match(stdout, /^ROUTE +RESPONSES\nPOST \/orders +200 x \d+, .*422 x \d+$/m);
    assert.match(stdout, /^seed 2: no failure$/m);
    assert.ok(!existsSync(out));
  });

  test("prints what the page shows", async () => {
    const { stdout } = await fuzz([moduleOf("examples/orders/fuzzed.ts"), "--seed", "7"]);

    const page = readFileSync(fromRoot("docs/fuzz.md"), "utf8");
    assert.equal(/^\$ .*npx framework fuzz .*\n([\s\S]*?)^```/m.exec(page)?.[1], stdout);
  });

  test("says which routes no request got through to", async () => {
    const { stdout } = await fuzz([faulty, "--route", "/bosses", "--as", "nobody", "--runs", "2"]);

    assert.match(stdout, /^GET \/bosses: no request succeeded; .*export an identity/m);
  });

  test("is 2 where nothing is sent, and says why", async () => {
    const refusal = async (...args: readonly string[]) => {
      const { status, stdout, stderr } = await fuzz(args);
      assert.deepEqual([status, stdout], [2, ""], args.join(" "));
      return stderr;
    };

    assert.match(await refusal(), /the module is missing/);
    assert.match(await refusal("nowhere.js"), /there is no file nowhere\.js/);
    assert.match(await refusal(faulty, "--route", "/none"), /no route '\/none': there are POST \/at-bound/);
    assert.match(await refusal(faulty, "--as", "thief"), /no identity 'thief'/);
    assert.match(await refusal(faulty, "--seed", "x"), /seed .* from 0 to 4294967295/);
  });

  test("is 1 for resources that the module does not export, and says how it should", async () => {
    const module = folderWith({ "app.mjs": `export { ingress } from ${JSON.stringify(faulty)};` });
    const { status, stderr } = await fuzz([join(module, "app.mjs")]);

    assert.equal(status, 1);
    assert.match(stderr, /export a function resources\(\) .*\{ Stock \}/);
  });
});

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { moduleOf } from "../../support/root.js";
import { runCommand } from "../../support/run-command.js";

const APP = moduleOf("native-tests/support/openapi-app.ts");
const folder = mkdtempSync(join(tmpdir(), "openapi-"));
after(() => rmSync(folder, { recursive: true }));

const framework = (...args: readonly string[]) => runCommand(["openapi", ...args]);
const file = (name: string): string => join(folder, name);

describe("framework openapi export", () => {
  test("prints the document as it is served, the same bytes each time", async () => {
    const { status, stdout } = await framework("export", APP);
    const { info, paths } = JSON.parse(stdout);

    assert.deepEqual([status, info.title, Object.keys(paths)], [0, "Orders", ["/orders"]]);
    assert.equal((await framework("export", APP)).stdout, stdout);
    assert.ok(!stdout.includes("x-framework-axon"));
    assert.ok((await framework("export", APP, "--internals")).stdout.includes('"name": "order"'));
  });

  test("takes the document of a path, and one of its own where none is served", async () => {
    const partners = await framework("export", APP, "--path", "/partners.json");
    const own = await framework("export", APP, "--export", "undocumented");
    const none = await framework("export", APP, "--path", "/none.json");

    assert.deepEqual(
      [JSON.parse(partners.stdout).info.title, JSON.parse(own.stdout).info.title],
      ["For partners", "API"],
    );
    assert.deepEqual([none.status, none.stderr.includes("serves no document at '/none.json'")], [2, true]);
  });

  test("writes a file, as YAML by its name or where asked to", async () => {
    await framework("export", APP, "--out", file("api.yaml"));
    const { stdout } = await framework("export", APP, "--format", "yaml");

    assert.match(stdout, /^openapi: 3\.1\.0\ninfo:\n {2}title: Orders\n/);
    assert.equal(readFileSync(file("api.yaml"), "utf8"), stdout);
    assert.equal((await framework("export", APP, "--format", "xml")).status, 2);
  });
});

describe("framework openapi check", () => {
  test("is 0 where the file is up to date, or only old, and 1 where its clients break", async () => {
    await framework("export", APP, "--out", file("now.yaml"));
    await framework("export", APP, "--export", "before", "--out", file("before.json"));
    const same = await framework("check", APP, file("now.yaml"));
    const broken = await framework("check", APP, file("before.json"));
    const old = await framework("check", APP, file("now.yaml"), "--export", "before");

    assert.deepEqual([same.status, same.stdout], [0, `${file("now.yaml")} is up to date.\n`]);
    assert.deepEqual([broken.status, broken.stdout.split("\n")[0]], [1, "GET /orders: it is gone"]);
    assert.deepEqual([old.status, old.stdout.startsWith("Nothing breaks clients of")], [0, true]);
  });

  test("is 2 for a file that is missing or no document", async () => {
    writeFileSync(file("broken.json"), "{");
    writeFileSync(file("other.json"), "{}");

    for (const name of ["missing.json", "broken.json", "other.json"]) {
      const { status, stderr } = await framework("check", APP, file(name));
      assert.deepEqual(
        [status, stderr.includes("could not be read as an OpenAPI document")],
        [2, true],
        name,
      );
    }
    assert.equal((await framework("check", APP)).status, 2);
  });
});

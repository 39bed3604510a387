import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, test } from "node:test";
import { pathToFileURL } from "node:url";

import { openAudit } from "framework/store";
import { folderWith } from "../../support/config-folder.js";
import { moduleOf } from "../../support/root.js";
import { runCommand } from "../../support/run-command.js";

const APP = JSON.stringify(pathToFileURL(moduleOf("native-tests/support/erased-app.ts")));
const compliance = (...args: readonly string[]) => runCommand(["compliance", ...args]);

describe("framework compliance erase and export", () => {
  let folder = "";
  let url = "";
  let toml = "";
  let app = "";
  // A module each: a command closes the stores.
  beforeEach(() => {
    folder = folderWith({ "framework.toml": "" });
    toml = join(folder, "framework.toml");
    url = `sqlite:${join(folder, "app.db")}`;
    app = join(folder, "app.mjs");
    const made = `erasedApp(${JSON.stringify(url)})`;
    writeFileSync(app, `import { erasedApp } from ${APP};\nexport const { app, letters } = ${made};\n`);
  });

  test("counts by sinks whose methods need their object", async () => {
    const asked = await compliance("erase", app, "--file", toml, "--subject", "ann", "--reason", "17");

    assert.match(asked.stdout, /patient letters {3}1\n/);
    assert.deepEqual([asked.status, asked.stderr], [2, "framework: nothing was erased: add --yes\n"]);
  });

  test("exports to a file of its owner by sinks whose methods need their object", async () => {
    const to = join(folder, "ann.jsonl");

    const exported = await compliance("export", app, "--file", toml, "--subject", "ann", "--to", to);

    assert.equal(exported.status, 0, exported.stderr);
    assert.match(readFileSync(to, "utf8"), /"value":"Dear Ann"/);
    assert.equal(statSync(to).mode & 0o777, 0o600);
  });

  test("records an erasure in the application's database where the configuration names none", async () => {
    const args = ["--file", toml, "--subject", "ann", "--reason", "letter of May", "--yes"];

    const erased = await compliance("erase", app, ...args);

    assert.match(erased.stdout, new RegExp(`audit log {2}${url}\n`));
    const audit = openAudit(url);
    assert.equal((await audit.query({})).length, 2);
    await audit.close();
  });

  test("takes a module of sinks without an ingress, and has nothing but JSON on stdout for --json", async () => {
    writeFileSync(toml, `[persistence]\nurl = "${url}"\n`);
    const own = join(folder, "sinks.mjs");
    writeFileSync(own, 'export const files = { name: "files", erase: () => ({ erased: 2 }) };');
    const args = ["--file", toml, "--subject", "ann", "--reason", "17", "--yes", "--compact", "--json"];

    const { status, stdout, stderr } = await compliance("erase", own, ...args);

    assert.equal(status, 0, stderr);
    assert.deepEqual(JSON.parse(stdout).sinks.at(-1), {
      ...{ sink: "files", erased: 2, state: "done", left: [], leftCount: 0 },
    });
    assert.match(stderr, /^profile .*: compacted\n$/s);
  });

  test("removes a file that would have a part of the data", async () => {
    const cut = join(folder, "cut.jsonl");

    const failed = await compliance("export", app, "--file", toml, "--subject", "broken", "--to", cut);

    assert.equal(failed.status, 2);
    assert.match(failed.stderr, /the cabinet is locked/);
    assert.equal(existsSync(cut), false);
  });

  test("exports to no file that was there", async () => {
    const own = join(folder, "own.jsonl");
    writeFileSync(own, "mine");

    const refused = await compliance("export", app, "--file", toml, "--subject", "ann", "--to", own);

    assert.equal(refused.status, 2);
    assert.match(refused.stderr, /own\.jsonl cannot be made: it must be a new file in a folder that exists/);
    assert.equal(readFileSync(own, "utf8"), "mine");
  });
});

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";

import { openStores } from "framework";
import type { RunEntry } from "#core/ports/run-store.js";
import { folderWith } from "../../../support/config-folder.js";
import { moduleOf } from "../../../support/root.js";
import { runCommand } from "../../../support/run-command.js";

const APP = JSON.stringify(pathToFileURL(moduleOf("native-tests/support/checked-app.ts")));
const PACKAGE = JSON.stringify(import.meta.resolve("framework"));
const check = (...args: readonly string[]) => runCommand(["runs", "check", ...args]);

const begun = (axon: string, node: string, version = "1.0.0"): RunEntry => ({
  ...{ kind: "begun", at: 1, axon, version, node: `${axon}/${node}`, input: 1, bus: {}, jumps: 0 },
});

describe("framework runs check", () => {
  let folder = "";
  let url = "";
  let toml = "";
  const module = (name: string, text: string): string => {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  };
  /** A module each: a command closes the stores. */
  const application = (axon: "first" | "second", of: string | undefined = url): string => {
    const name = `app-${Math.random()}.mjs`;
    const made = `checkedApp(${axon}, ${of === undefined ? "undefined" : JSON.stringify(of)})`;
    return module(name, `import { checkedApp, ${axon} } from ${APP};\nexport const app = ${made};\n`);
  };
  before(async () => {
    folder = folderWith({});
    url = `sqlite:${join(folder, "app.db")}`;
    toml = module("framework.toml", `[persistence]\nurl = "${url}"\n`);
    const { runs, close } = openStores(url);
    await runs.append("a", 0, [begun("order", "pay")]);
    await runs.append("b", 0, [begun("order", "ship")]);
    await runs.append("c\u001b[2J", 0, [begun("order", "ship")]);
    await close();
  });

  test("exits with 0 where all could resume, and prints the profile and the stores first", async () => {
    const { status, stdout, stderr } = await check(application("first"), "--file", toml);

    assert.equal(stderr, "");
    const [profile, stores, ...lines] = stdout.split("\n");
    assert.match(profile ?? "", /^profile {2}not production: /);
    assert.equal(stores, `stores   ${url}`);
    assert.deepEqual(lines, [
      "AXON   VERSION  RUNS  WITH THIS MODULE",
      "order  1.0.0    3     resume",
      "3 unfinished runs: all could resume",
      "",
    ]);
    assert.equal(status, 0);
  });

  test("exits with 1 where some could not, and prints why, which and what to do, without control characters", async () => {
    const { status, stdout } = await check(application("second"), "--file", toml);

    assert.deepEqual(stdout.split("\n").slice(2), [
      "AXON   VERSION  RUNS  WITH THIS MODULE",
      "order  1.0.0    1     migrate by migrate-active-node",
      "order  1.0.0    2     UNFIT",
      "  Version '1.0.0' began it, and no migration leads it to '2.0.0'",
      "  such as b, c\\u001b[2J",
      "3 unfinished runs: 2 could not resume. Add a migration, keep the old Axon by completeOnOldVersion, or cancel them (docs/evolving-runs.md)",
      "",
    ]);
    assert.equal(status, 1);
  });

  test("has nothing but JSON on stdout for --json, of one Axon for --axon", async () => {
    const asked = ["--file", toml, "--json", "--axon", "order"];
    const { status, stdout, stderr } = await check(application("second"), ...asked);

    const { runs, unfit, kinds } = JSON.parse(stdout) as { runs: number; unfit: number; kinds: object[] };
    assert.deepEqual([status, runs, unfit], [1, 3, 2]);
    assert.deepEqual(kinds[0], {
      ...{ axon: "order", version: "1.0.0", way: "migrates", strategy: "migrate-active-node" },
      ...{ count: 1, stuck: 0, examples: ["a"] },
    });
    assert.match(stderr, /^profile .*\nstores .*\n$/s);
  });

  test("asks the store of the configuration for an ingress without stores, and for Axons without an ingress", async () => {
    const mounted = await check(application("first", undefined), "--file", toml);
    const alone = module("alone.mjs", `export { second } from ${APP};\n`);
    const exported = await check(alone, "--file", toml);

    assert.match(mounted.stdout, /3 unfinished runs: all could resume\n$/);
    assert.equal(mounted.status, 0);
    assert.match(exported.stdout, /3 unfinished runs: 2 could not resume\./);
  });

  test("looks for runs in the own stores of Axons, and takes an exported old version for no Axon of its own", async () => {
    const own = `sqlite:${join(folder, "own.db")}`;
    const stores = openStores(own);
    await stores.runs.append("o", 0, [begun("own", "add")]);
    await stores.close();
    const file = module(
      "own.mjs",
      `import { Axon, MigrationStrategy, openStores } from ${PACKAGE};
const { runs } = openStores(${JSON.stringify(own)});
export const old = Axon.start("own").withPersistenceStore(runs).thenFn("add", (n) => n);
const migrations = [{ from: "1.0.0", strategy: MigrationStrategy.completeOnOldVersion(old) }];
export const axon = Axon.start("own").withVersion("2.0.0")
  .withPersistenceStore(runs, { migrations }).thenFn("sum", (n) => n);
`,
    );
    const { status, stdout, stderr } = await check(file, "--file", module("none.toml", ""));

    assert.equal(status, 0, stderr);
    assert.match(
      stdout,
      /stores {3}those of the Axons\n.*\nown {3}1\.0\.0 {4}1 {5}complete on the old Axon\n/,
    );
  });

  test("exits with 2 where it could not ask: no such file, no store, an Axon or a module that would not start", async () => {
    const lacking = application("first", `sqlite:${join(folder, "lacking.db")}`);
    const memory = application("first", "memory:");
    const wrong = module(
      "wrong.mjs",
      `import { Axon, Framework, MigrationStrategy, Stores } from ${PACKAGE};
const strategy = MigrationStrategy.fallbackToNode("order/shop");
const axon = Axon.start("order").withVersion("2.0.0")
  .withPersistenceStore(Stores.mounted, { migrations: [{ from: "1.0.0", strategy }] }).thenFn("ship", (n) => n);
export const app = Framework.http().post("/orders", axon, { detached: true });
`,
    );
    const answers = [
      await check(lacking, "--file", toml),
      await check(memory, "--file", toml),
      await check(application("first"), "--file", toml, "--axon", "ordr"),
      await check(wrong, "--file", toml),
      await check(),
    ];

    assert.deepEqual(
      answers.map(({ status }) => status),
      [2, 2, 2, 2, 2],
    );
    const said = answers.map(({ stderr }) => stderr);
    assert.match(said[0] ?? "", /lacking\.db: there is no such file/);
    assert.match(said[1] ?? "", /memory: keeps nothing beyond its process/);
    assert.match(said[2] ?? "", /has an Axon 'ordr'/);
    assert.match(said[3] ?? "", /leads to the node 'order\/shop', .*did you mean order\/ship\?/);
    assert.match(said[4] ?? "", /the module is missing/);
  });

  test("writes nothing: the file of the store stays as it is", async () => {
    const file = join(folder, "app.db");
    const was = readFileSync(file);
    await check(application("second"), "--file", toml);

    assert.ok(readFileSync(file).equals(was));
  });
});

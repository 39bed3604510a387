// What the compiler says of a wrong program names the remedy: people read that first.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");

const PROGRAM = `
import { Axon, branch, busKey, Framework, RetryPolicy, routes } from "framework";
const Plan = busKey<string>()("Plan");
const Other = busKey<string>()("Other");
Axon.start("a").thenFn("s", (_, bus) => bus.get(Plan));
Axon.start("a").thenFn("s", (_, bus) => bus.find(Plan), { reads: [Other] });
Axon.start("a").thenFn("s", (_, bus) => bus.set(Plan, "x"), { reads: [Plan] });
Axon.start("a").thenFn("s", () => branch("vip", 1));
Framework.http().get("/", Axon.start("a").thenFn("s", () => branch("vip", 1), { branches: ["vip"] }));
Framework.http().get("/", Axon.start("a").thenFn("s", (_, bus) => bus.get(Plan), { reads: [Plan] }));
Framework.http().post("/", Axon.start<{ a: string }>("a"));
Framework.http().post("/", async () => "x");
Framework.http().mount({ "GET /": Axon.start("a").thenFn("s", (_, bus) => bus.get(Plan), { reads: [Plan] }) });
Framework.http().mount({ "GET /": [Axon.start<string>("a"), { bodyLimit: 1 }] });
Framework.http().mount(routes({ "GET /of": Axon.start("a").thenFn("s", (_, bus) => bus.get(Plan), { reads: [Plan] }) }));
routes({ "GET /": Axon.start("a").thenFn("s", () => branch("vip", 1), { branches: ["vip"] }) });
routes({ "GRAB /": Axon.start("a") });
Axon.start<number>("a").parallel([{ name: "s", run: (s: string) => s }], "AllMustSucceed", () => 1);
Axon.start<number>("a").parallel([{ name: "s", branches: ["vip"], run: () => branch("vip", 1) }], "AnyCanFail", () => 1);
Axon.start<number>("a").thenWithRetry({ name: "s", run: () => branch("vip", 1) }, RetryPolicy.fixed(1, 0));
`;

const EXPECTED = [
  "add the key to 'reads' of this step",
  "add the key to 'reads' or 'mayRead' of this step",
  "add the key to 'writes' or 'mayWrite' of this step",
  "the step branches to 'vip' undeclared: add it to 'branches'",
  "branch 'vip' has no Axon: call .branch('vip', axon) after the step",
  "nobody provides 'Plan': write it in an earlier step or provide it",
  "give the route an extractor, { input: json(schema) }, or the Axon a schema",
  "an Axon is mounted here",
  "nobody provides 'Plan': write it in an earlier step or provide it",
  "give the route an extractor, { input: json(schema) }, or the Axon a schema",
  "nobody provides 'Plan': write it in an earlier step or provide it",
  "branch 'vip' has no Axon: call .branch('vip', axon) after the step",
  "a row is a method, a space and a path, as in 'GET /orders/:id'",
  "this step does not take what the step before answers",
  "a step beside others may neither branch nor jump: put it in an Axon of its own",
  "the step branches to 'vip' undeclared: add it to 'branches'",
];

describe("the compiler", () => {
  test("says what to do, a line of a wrong program after the other", () => {
    mkdirSync(join(root, ".build"), { recursive: true });
    const folder = mkdtempSync(join(root, ".build/messages-"));
    try {
      const compilerOptions = { noEmit: true };
      writeFileSync(join(folder, "program.ts"), PROGRAM);
      const config = { extends: "../../tsconfig.json", compilerOptions, include: ["program.ts"] };
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));

      const { stdout } = spawnSync(process.execPath, [tsc, "--pretty", "false", "-p", folder], {
        encoding: "utf8",
      });

      const errors = stdout.split(/^(?=\S+\.ts\(\d+,\d+\): error)/m);
      assert.equal(errors.length, EXPECTED.length, stdout);
      for (const [i, remedy] of EXPECTED.entries()) {
        assert.ok(errors[i]?.includes(remedy), `${remedy}\n${errors[i]}`);
        assert.equal(Number(/\((\d+),/.exec(errors[i] ?? "")?.[1]), i + 5, errors[i]);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";

import { textArguments, textFolder } from "../support/run-program.js";

const PROGRAM = `
  import { Axon, Framework, isFault, Type } from "framework";
  import { TestApp } from "framework/http";
  const Order = Type.Object({ id: Type.String({ minLength: 1, pattern: "^[a-z]+$" }), qty: Type.Integer({ minimum: 1 }) });
  const axon = Axon.start("orders", Order).thenFn("price", async ({ qty }) => ({ total: qty * 2, secret: 1 })).withOutputSchema(Type.Object({ total: Type.Number() }));
  const app = new TestApp(Framework.http().post("/", axon));
  console.log(JSON.stringify([
    await axon.execute({ id: "a", qty: 2 }),
    isFault(axon.execute({ id: "", qty: 0 })),
    (await app.post("/", { json: { id: "a", qty: 2 } })).text,
    (await app.post("/", { json: { id: "A", qty: 2 } })).status,
  ]));
`;

/** Runs the program, where code must not be generated or where it may. */
function run(...flags: readonly string[]) {
  const env = { ...process.env, NODE_OPTIONS: "" };
  const options = { cwd: textFolder, encoding: "utf8", env } as const;
  return spawnSync(process.execPath, [...flags, ...textArguments(PROGRAM)], options);
}

const warningsOf = (stderr: string): number => stderr.split("[CODE_GENERATION_FORBIDDEN]").length - 1;

describe("where code must not be generated", () => {
  const { stdout, stderr } = run("--disallow-code-generation-from-strings");

  test("runs, checks and serialisers give the same answers", () => {
    assert.deepEqual(
      JSON.parse(stdout || "null"),
      [{ total: 4, secret: 1 }, true, '{"total":4}', 422],
      stderr,
    );
  });

  test("a warning says so, once in a process that compiles several Axons", () => {
    assert.equal(warningsOf(stderr), 1, stderr);
    assert.equal(warningsOf(run().stderr), 0);
  });
});

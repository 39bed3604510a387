// What the compiler says of a wrong program names the remedy: people read that first.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";

import { root } from "../support/root.js";

const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");

const PROGRAM = `
import { Axon, branch, busKey, Framework, guard, json, jump, param, pass, respond, RetryPolicy, routes, transition, Type } from "framework";
import { AxonTestKit } from "framework/runtime";
const Plan = busKey<string>()("Plan");
const Other = busKey<string>()("Other"); const Doctor = Type.Object({ name: Type.String(), speciality: Type.String(), note: Type.Optional(Type.String()) });
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
Axon.start("a").thenFn("s", () => branch("vip", 1), { branches: ["vip"] }).execute();
Axon.start("a").thenFn("s", () => jump("on", 1), { jumps: ["on"] }).executeFrom("a", 1);
void new AxonTestKit().run(Axon.start("a").thenFn("s", () => branch("vip", 1), { branches: ["vip"] }), undefined);
Axon.start("a").thenFn("s", (_, bus) => bus.delete(Plan), { mayWrite: [Plan] });
Framework.http().get("/", Axon.start("a").thenFn("w", (_, bus) => bus.set(Plan, "x"), { writes: [Plan] }).thenFn("d", () => {}, { deletes: [Plan] }).thenFn("s", (_, bus) => bus.get(Plan), { reads: [Plan] }));
Framework.http().get("/", Axon.start("a"), { bodyLimt: 1, tags: [] });
Framework.http().mount(routes({ "GET /": [Axon.start("a"), { bodyLimt: 1, tags: [] }] }));
Framework.http().group("/g", { guard: [], tags: [] }, () => 1);
Axon.start("a").thenCompensated({ name: "s", run: () => 1 }, (_, bus) => bus.get(Plan));
Framework.http().post("/", Axon.start<{ a: string }>("a"), { input: json(Type.Object({ b: Type.String() })) });
Framework.http().get("/:name", Axon.start("a").thenFn("s", (_, bus) => bus.get(param("id")), { reads: [param("id")] }));
Axon.start("a").thenFn("s", (input) => input.name);
Axon.start("a").thenFn("s", async (input) => input.name);
Axon.start("a").then(transition({ name: "s", run: (input: void) => input.name }));
Axon.start("a").thenFn("s", { use: { plan: Plan } }, () => 1);
Axon.start("a").thenFn("s", { uses: { plan: "Plan" } }, () => 1);
Axon.start("a").thenFn("s", { reads: [Plan] }, () => branch("vip", 1));
Axon.start<number>("a").thenFn("s", { uses: { plan: Plan } }, (name: string) => name);
Axon.start("a").thenFn("s", () => 1, { uses: { plan: "Plan" } });
Axon.start("a").thenFn("s", () => branch("vip", 1), { reads: [Plan] });
Axon.start("a").thenFn("s", async () => ({ name: "Ada" })).withOutputSchema(Doctor);
Axon.start("a").thenFn("s", () => respond({ body: { name: "Ada" } })).withOutputSchema(Doctor);
Axon.start("a").thenFn("s", () => {}).withOutputSchema(Doctor);
Axon.start<number>("a").thenFn("s", (n) => (n > 1 ? { name: "Ada", speciality: "eyes" } : undefined)).withOutputSchema(Doctor);
Axon.start("a").thenFn("s", () => ({ name: "Ada", speciality: "eyes" })).withOutputSchema(Type.Array(Doctor));
Axon.start("a").thenFn("s", () => ({ name: "Ada", speciality: 1 })).withOutputSchema(Doctor);
Axon.start("a").thenFn("s", () => "Ada").withOutputSchema(Doctor);
Axon.start("a").thenFn("s", () => ({ name: "Ada" })).withOutputSchema(Type.Record(Type.String(), Type.Number()));
const known = guard({ name: "g", uses: { plan: Plan }, run: (input) => pass(input) }); Framework.http().get("/", Axon.start("a"), { guards: [known] });
Axon.start("a").thenFn("s", async () => respond({ status: 201 }));
Axon.start("a").thenFn("s", { responses: [{ status: 201 }] }, () => (Math.random() > 0.5 ? respond({ status: 201 }) : respond({ body: "" })));
Axon.start("a").thenFn("s", (_, bus) => bus.label("order", "1"));
Framework.http().get("/", Axon.start("a").thenFn("s", { labels: ["order"] }, (_, bus) => bus.label("order", "1")));
`;

const EXPECTED = [
  "add the key to 'uses' or 'reads' of this step",
  "add the key to 'uses', 'mayUse', 'reads' or 'mayRead' of this step",
  "add the key to 'sets', 'writes' or 'mayWrite' of this step",
  "the step branches to 'vip' undeclared: add it to 'branches'",
  "branch 'vip' has no Axon: call .branch('vip', axon) after the step",
  "nothing provides 'Plan': list it in 'resources', set it in an earlier step, or add the guard that sets it before this route",
  "give the route an extractor, { input: json(schema) }, or the Axon a schema",
  "an Axon is mounted here",
  "nothing provides 'Plan': list it in 'resources', set it in an earlier step, or add the guard that sets it before this route",
  "give the route an extractor, { input: json(schema) }, or the Axon a schema",
  "nothing provides 'Plan': list it in 'resources', set it in an earlier step, or add the guard that sets it before this route",
  "branch 'vip' has no Axon: call .branch('vip', axon) after the step",
  "a row is a method, a space and a path, as in 'GET /orders/:id'",
  "this step does not take what the step before answers",
  "a step beside others may neither branch nor jump: put it in an Axon of its own",
  "the step branches to 'vip' undeclared: add it to 'branches'",
  "branch 'vip' has no Axon: call .branch('vip', axon) after the step",
  "no step with label 'on' takes what the jump carries",
  "branch 'vip' has no Axon: call .branch('vip', axon) after the step",
  "add the key to 'deletes' of this step",
  "nothing provides 'Plan': list it in 'resources', set it in an earlier step, or add the guard that sets it before this route",
  "there is no option 'bodyLimt': look at how it is spelt",
  "there is no option 'bodyLimt': look at how it is spelt",
  "there is no option 'guard': look at how it is spelt",
  "in the function's place give transition({ name, reads: [key], run })",
  "the options do not fit the Axon: 'input' has to make what it takes",
  "nothing provides 'param:id': the path has no ':id'",
  // Nothing of jumps, branches or events: the body's own mistake is all that there is to say.
  "Property 'name' does not exist on type 'void'",
  "Property 'name' does not exist on type 'void'",
  "Property 'name' does not exist on type 'void'",
  "'use' does not exist in type",
  "Type 'string' is not assignable to type 'AnyKey'",
  "the step branches to 'vip' undeclared: add it to 'branches'",
  "Type 'number' is not assignable to type 'string'",
  "write the declarations in front, and the error says why",
  "write the declarations in front, and the error says why",
  `type '"the last step answers no 'speciality', which the schema needs"'`,
  `type '"the last step answers no 'speciality', which the schema needs"'`,
  "the last step answers nothing: is a return missing?",
  "the last step answers nothing: is a return missing?",
  "the last step answers no list, which the schema is",
  "the last step answers what the schema does not allow",
  "the last step answers what the schema does not allow",
  "the last step answers what the schema does not allow",
  "nothing provides 'Plan', which a guard or a layer reads: list it in 'resources', or add the guard that sets it before this one",
  "the step responds with 201 undeclared: add { status: 201 } to 'responses'",
  "the step responds with 200 undeclared: add { status: 200 } to 'responses'",
  "add the name to 'labels' of this step",
  "a step sets the label 'order', which no withLabels declares",
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

      const { stdout } = spawnSync(
        process.execPath,
        [tsc, "--singleThreaded", "--pretty", "false", "-p", folder],
        {
          encoding: "utf8",
        },
      );

      const errors = stdout.split(/^(?=\S+\.ts\(\d+,\d+\): error)/m);
      assert.equal(errors.length, EXPECTED.length, stdout);
      for (const [i, remedy] of EXPECTED.entries()) {
        assert.ok(errors[i]?.includes(remedy), `${remedy}\n${errors[i]}`);
        assert.equal(Number(/\((\d+),/.exec(errors[i] ?? "")?.[1]), i + 6, errors[i]);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

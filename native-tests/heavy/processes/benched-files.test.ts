// What `framework bench` measures and refuses, in processes of its own.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

import type { BenchReport } from "#bench/report.js";
import { benched as bench } from "../../support/benched.js";
import { folderWith } from "../../support/config-folder.js";
import { moduleOf } from "../../support/root.js";

const SHORT = ["--rounds", "1", "--seconds", "0.01"];

const imports = (names: string, from: string): string =>
  `import { ${names} } from ${JSON.stringify(moduleOf(from))};\n`;
const BENCH = imports("bench", "src/bench/index.ts");
/** Each measurement is a process that loads this: the whole package only where a route is measured. */
const AXONS = imports("Axon", "src/runtime/index.ts") + imports("fault", "src/core/index.ts");
const ROUTES = imports("Axon, Framework, Type, busKey", "src/index.ts");

/** A file of benchmarks. */
const fileOf = (text: string, head = ""): string =>
  join(folderWith({ "bench.mjs": BENCH + head + text }), "bench.mjs");

const DOUBLE = `bench("double", Axon.start("double").thenFn("twice", (n) => ({ n: 2 * n })), 21);\n`;

describe("framework bench", () => {
  test("measures runs, and compares them with an earlier report by their names", async () => {
    const file = fileOf(`${DOUBLE}bench("wait", async () => 1);`, AXONS);
    const out = join(folderWith({}), "base.json");
    const first = await bench([file, ...SHORT, "--out", out]);

    assert.deepEqual([first.status, first.stderr], [0, ""]);
    assert.match(first.stdout, /^RUN +TIME +P99 +ALLOCATED +CONTROL\ndouble +\S+ [num]?s +.* B .*%\nwait /);
    const base: BenchReport = JSON.parse(readFileSync(out, "utf8"));
    assert.deepEqual(
      base.benchmarks.map(({ name, kind, figures }) => [name, kind, Object.keys(figures)]),
      ["double", "wait"].map((name, i) => [
        name,
        ["axon", "function"][i],
        ["ns_a_run", "bytes_a_run", "p99_ns"],
      ]),
    );
    const other = fileOf(`${DOUBLE}bench("new", () => 1);`, AXONS);
    const second = await bench([other, ...SHORT, "--compare", out, "--json"]);
    const { comparison } = JSON.parse(second.stdout);
    assert.deepEqual([comparison.added, comparison.removed], [["new"], ["wait"]]);
    const { verdict } = comparison.figures[0];
    assert.deepEqual([verdict, second.status], ["unclear", 0], "one round is too little");
  });

  test("measures routes under load, of the ingress that the file exports", async () => {
    const file = fileOf(
      `
      const Name = busKey()("Name");
      export const resources = () => ({ Name: "Ada" });
      export const ingress = () => Framework.http({ resources: [Name] })
        .get("/hello/:id", Axon.start("hello").thenFn("hello", (_, bus) => bus.get(Name), { reads: [Name] }));
      bench.route("GET /hello/1", { headers: { accept: "*/*" } });`,
      ROUTES,
    );
    const { status, stdout, stderr } = await bench([file, ...SHORT, "--connections", "2", "--markdown"]);

    assert.deepEqual([status, stderr], [0, ""]);
    assert.match(
      stdout,
      /^\| route \| cpu \| p50 \| p99 \| a second \| control \|\n.*\n\| GET \/hello\/1 \| \S+ [num]?s \| /,
    );
  });

  test("is 1 where a budget is exceeded or a figure fell, which it names", async () => {
    const file = fileOf(
      `
      const make = Axon.start("make").thenFn("make", (n) => new Array(40).fill(n)).budget({ bytes: 100 });
      bench("make", make, 1);
      let calls = 0;
      bench("free", () => calls++);`,
      AXONS,
    );
    const out = join(folderWith({}), "base.json");
    const first = await bench([file, ...SHORT, "--out", out]);

    assert.equal(first.status, 1);
    assert.match(first.stdout, /^over its budget: make allocates \d{3}(\.\d)? B a run; 100 are allowed$/m);
    assert.doesNotMatch(first.stdout, /over its budget: free/);
    const base = JSON.parse(readFileSync(out, "utf8"));
    base.benchmarks[0].budget = undefined;
    base.benchmarks[0].figures.bytes_a_run = {
      value: 50,
      control: 0,
      arms: [[{ value: 50 }], [{ value: 50 }]],
    };
    writeFileSync(out, JSON.stringify(base));
    const second = await bench([
      fileOf(`bench("make", () => new Array(40).fill(1));`),
      ...SHORT,
      "--compare",
      out,
    ]);
    assert.equal(second.status, 1);
    assert.match(second.stdout, /^fell +make +bytes a run +50 B +\d{3}/m);
    assert.match(second.stdout, /^1 figure fell by more than 10\.0 % and the noise\.$/m);
  });

  test("is 2 for a file that cannot be measured, and says what to do", async () => {
    const refusal = async (text: string, head?: string) => {
      const { status, stdout, stderr } = await bench([fileOf(text, head), ...SHORT]);
      assert.deepEqual([status, stdout], [2, ""], text);
      return stderr;
    };

    assert.match(await refusal(""), /bench\.mjs .*: import \{ bench \} from "framework\/bench"/);
    assert.match(
      await refusal(`throw new Error("no database");`),
      /could not be loaded\n +because no database/,
    );
    assert.match(await refusal(`bench.route("GET /x");`), /exports no ingress as default or ingress or app/);
    assert.match(
      await refusal(
        `bench("refuse", Axon.start("a").thenFn("a", () => fault({ kind: "refused" })), 1);`,
        AXONS,
      ),
      /refuse cannot be measured: it ends with a fault: \{ kind: 'refused' \}/,
    );
    assert.match(
      await refusal(`bench("break", () => { throw new Error("broken"); });`),
      /break cannot be measured: broken/,
    );
    assert.match(
      await refusal(`bench("leave", () => process.exit(7));`),
      /leave cannot be measured: its process ended with 7/,
    );
  });

  test("is 2 for a route that responds with an error, whose problem it shows", async () => {
    const refusal = async (route: string) => {
      const { status, stderr } = await bench([
        fileOf(
          `
          export const ingress = Framework.http().post("/orders", Axon.start("orders", Type.Object({ qty: Type.Integer() })));
          ${route}`,
          ROUTES,
        ),
        ...SHORT,
      ]);
      assert.equal(status, 2);
      return stderr;
    };

    const invalid = await refusal(`bench.route("POST /orders", { body: { qty: "two" } });`);
    assert.match(invalid, /POST \/orders cannot be measured: it responds with 422: \{.*"INPUT_INVALID".*qty/);
    const unknown = await refusal(`bench.route("GET /order");`);
    assert.match(
      unknown,
      /GET \/order cannot be measured: it responds with 404: .*\n +the ingress serves POST \/orders\n/,
    );
  });
});

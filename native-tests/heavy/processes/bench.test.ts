// `framework bench` as a program, over the example's axon, function and routes.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import type { BenchReport } from "#bench/report.js";
import { moduleOf } from "../../support/root.js";
import { bareEnvironment, programArguments } from "../../support/run-program.js";

const folder = mkdtempSync(join(tmpdir(), "benched-"));
after(() => rmSync(folder, { recursive: true }));

const { NODE_TEST_CONTEXT, ...env } = bareEnvironment();

function bench(...args: readonly string[]) {
  const file = moduleOf("examples/orders/bench.ts");
  const program = programArguments("src/cli/main.ts", "bench", file, "--seconds", "0.05", ...args);
  const { status, stdout, stderr } = spawnSync(process.execPath, program, { encoding: "utf8", env });
  return { status, stdout, stderr };
}

describe("framework bench", () => {
  test("measures the example", () => {
    const out = join(folder, "base.json");
    const base = bench("--rounds", "1", "--out", out);
    assert.deepEqual([base.status, base.stderr], [0, ""]);
    const { benchmarks }: BenchReport = JSON.parse(readFileSync(out, "utf8"));
    assert.deepEqual(
      benchmarks.map(({ name, kind }) => `${kind} ${name}`),
      [
        "axon place an order",
        "function add up an order by hand",
        "route POST /orders",
        "route GET /products/tea",
      ],
    );
    for (const { name, figures } of benchmarks)
      for (const [figure, { value, arms }] of Object.entries(figures)) {
        assert.ok(value > 0 || figure === "bytes_a_run", `${name} ${figure}`);
        assert.ok(arms.every((samples) => samples.length === 1));
      }
  });
});

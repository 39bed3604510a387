import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";

/** Runs a program that reports, and reads the lines it leaves on stderr. */
function logged(program: string): readonly Record<string, any>[] {
  const source = `const { logReports: report } = await import("#telemetry/log-reports.js"); ${program}`;
  const node = ["--conditions=framework-source", "--import", "tsx", "--input-type=module", "-e", source];
  const { stderr } = spawnSync(process.execPath, node, { encoding: "utf8" });
  return stderr
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

describe("reports in the log", () => {
  test("are JSON lines with code, ids and the error with its cause", () => {
    const [line] = logged(
      `report({ code: "STEP_PANIC", message: "it threw", step: "price", requestId: "abc", error: new Error("outer", { cause: new Error("inner") }) });`,
    );

    assert.deepEqual(
      [line?.["level"], line?.["code"], line?.["msg"], line?.["step"], line?.["request_id"]],
      [50, "STEP_PANIC", "it threw", "price", "abc"],
    );
    assert.deepEqual([line?.["err"].message, line?.["err"].cause.message], ["outer", "inner"]);
  });

  test("take whatever was thrown, and no line is broken by it", () => {
    const lines = logged(
      `const cycle = {}; cycle.self = cycle; for (const error of ["text\\n{}", 5n, cycle, Symbol("s"), null]) report({ code: "STEP_PANIC", message: "a\\nb", error });`,
    );

    assert.equal(lines.length, 5);
    assert.equal(lines[0]?.["err"].thrown, "text\n{}");
  });

  test("are written before a process that ends at once", () => {
    assert.equal(
      logged(`report({ code: "PROCESS_EXCEPTION", message: "last words" }); process.exit(1);`)[0]?.["msg"],
      "last words",
    );
  });
});

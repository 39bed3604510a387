import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { Report } from "framework";
import { ManualClock } from "framework/runtime";
import { LogSource } from "#telemetry/logging/log-source.js";
import { counted, keyOfReport, Repetitions, repeatedReport } from "#telemetry/logging/repeated-reports.js";
import { keptLogger } from "../../support/logged-lines.js";

const away = (message = "connect ECONNREFUSED") =>
  Object.assign(new Error(message), { code: "STORE_UNAVAILABLE" });
const report = (fields: Partial<Report> = {}): Report => ({
  ...{ code: "CHECKPOINT_LOST", message: "not kept", axon: "pay", error: away(), ...fields },
});

function counting() {
  const clock = new ManualClock();
  const written: [string, number | undefined][] = [];
  const repetitions = new Repetitions(clock.after);
  const take = (fields?: Partial<Report>): void => {
    const each = report(fields);
    repetitions.take(keyOfReport(each), (repeated) => {
      const { message } = repeated === undefined ? each : repeatedReport(each, repeated);
      written.push([message, repeated]);
    });
  };
  return { clock, written, take, repetitions };
}

describe("reports of a store that is away", () => {
  test("are a line at once, then one a second with their number, as long as they come", async () => {
    const { clock, written, take } = counting();
    for (let n = 1; n <= 500; n += 1) take({ message: `run ${n}` });
    assert.deepEqual(written, [["run 1", undefined]]);
    await clock.advance(999);
    assert.equal(written.length, 1);
    await clock.advance(1);
    for (let n = 501; n <= 600; n += 1) take({ message: `run ${n}` });
    await clock.advance(1000);
    await clock.advance(1000);
    take({ message: "run 601" });

    assert.deepEqual(written, [
      ["run 1", undefined],
      ["499 more within a second, the last of them: run 500", 499],
      ["100 more within a second, the last of them: run 600", 100],
      ["run 601", undefined],
    ]);
  });

  test("are told apart by code, Axon, step and error", () => {
    const { written, take } = counting();
    const others: Partial<Report>[] = [
      {},
      { code: "IDEMPOTENCY_FAILED" },
      { axon: "book" },
      { step: "charge" },
      { error: away("the database system is shutting down") },
      { error: new Error("No answer within 10000 milliseconds") },
    ];
    for (const fields of others) take(fields);

    assert.equal(written.length, others.length);
  });

  test("are all lines where each tells of another loss, or is of no store", () => {
    const { written, take } = counting();
    for (let n = 0; n < 3; n += 1) {
      take({ code: "DEAD_LETTER_LOST" });
      take({ code: "AUDIT_UNWRITTEN" });
      take({ code: "TRANSITION_PANIC", error: new Error("boom") });
      take({ code: "IDEMPOTENCY_FAILED", error: undefined });
    }

    assert.equal(written.length, 12);
  });

  test("are counted in a bounded number of kinds", () => {
    const { written, take } = counting();
    for (let n = 0; n < 300; n += 1) take({ axon: `a${n}` });
    for (let n = 0; n < 300; n += 1) take({ axon: `a${n}` });

    assert.equal(written.length, 500);
  });

  test("are a line of the log at once, with the ids of its request, and no line each", () => {
    const { log, lines } = keptLogger();
    const { reporter } = new LogSource(() => log);
    reporter(report({ requestId: "r1" }));
    reporter(report({ requestId: "r2" }));

    assert.deepEqual(
      lines().map((line) => line["request_id"]),
      ["r1"],
    );
  });

  test("are counted where a step writes them, by its text and error", async () => {
    const { clock, repetitions } = counting();
    const { log, lines } = keptLogger();
    const failures = counted(log.module("app"), repetitions);
    for (const err of [away(), away(), away(), away("other")])
      failures.error({ err }, "%s: the store of sessions failed", "LoadSession");
    failures.error("plain");
    failures.error("plain");
    failures.warn("other levels");
    await clock.advance(1000);

    assert.deepEqual(
      lines().map((line) => [line["msg"], line["err"]?.message, line["repeated"]]),
      [
        ["LoadSession: the store of sessions failed", "connect ECONNREFUSED", undefined],
        ["LoadSession: the store of sessions failed", "other", undefined],
        ["plain", undefined, undefined],
        ["plain", undefined, undefined],
        ["other levels", undefined, undefined],
        ["LoadSession: the store of sessions failed", "connect ECONNREFUSED", 2],
      ],
    );
  });
});

// Which lines of the log are kept with a run: its own, whatever others log.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";

import { Axon, json, Log, type Logging, Type } from "framework";
import { TestApp } from "framework/http";

import { keepLog } from "../../support/logged-ingress.js";
import { tracedApp } from "../../support/traced-app.js";

/** Two routes: a run that waits, and one that logs what it is told while the other waits. */
function two(capture: "off" | "full" = "full") {
  let letGo = (): void => {};
  let waits = (): void => {};
  let toLog: (log: Logging) => void = () => {};
  const victim = Axon.start("victim").thenFn(
    "wait",
    async (_, bus) => {
      bus.get(Log).info("begun");
      await new Promise<void>((resolve) => {
        letGo = resolve;
        waits();
      });
      (bus.get(Log) as Logging).child({ part: "store" }).info("done");
      return "waited";
    },
    { reads: [Log] },
  );
  const stranger = Axon.start("stranger").thenFn("log", (_, bus) => toLog(bus.get(Log) as Logging), {
    reads: [Log],
  });
  const traced = tracedApp((ingress) => ingress.get("/victim", victim).get("/stranger", stranger), capture);
  const { log } = keepLog(traced.ingress);
  const app = new TestApp<any>(traced.ingress, {});
  traced.ingress.plan.log.read(traced.collector.readLine);
  /** What the waiting run's trace has of lines, where others log meanwhile. */
  const linesWhile = async (logs: (log: Logging) => void, headers = { "x-request-id": "victim-1" }) => {
    toLog = logs;
    const waiting = new Promise<void>((resolve) => (waits = resolve));
    const asked = app.get("/victim", { headers: { "x-request-id": "victim-1" } });
    await waiting;
    await app.get("/stranger", { headers });
    logs(log);
    letGo();
    await asked;
    const { run_id } = traced.rows().find(({ circuit }) => circuit === "victim") ?? assert.fail();
    return traced.store.get(run_id)?.logs ?? [];
  };
  return { ...traced, app, linesWhile };
}

describe("the lines that a trace has", () => {
  for (const capture of ["off", "full"] as const)
    test(`are those of its run's log and its children, whatever others log, with capture "${capture}"`, async () => {
      const { linesWhile } = two(capture);
      const forged = { level: 30, time: 1, request_id: "victim-1", msg: "forged" };
      await fc.assert(
        fc.asyncProperty(fc.oneof(fc.anything(), fc.constant(forged), fc.string()), async (value) => {
          const lines = await linesWhile((log) => {
            log.info(value);
            log.info(forged, "%s", value);
            log.info({ request_id: "victim-1", value }, JSON.stringify(forged));
          });

          assert.deepEqual(
            lines.map(({ message }) => message),
            ["begun", "done"],
          );
        }),
        { numRuns: 50 },
      );
    });

  test("are no others' where a client gives its request the id of another", async () => {
    const { linesWhile } = two();
    const lines = await linesWhile((log) => log.info("mine"), { "x-request-id": "victim-1" });

    assert.deepEqual(
      lines.map(({ message }) => message),
      ["begun", "done"],
    );
  });

  test("count as what is kept of a run, and what is beyond its bound is not there", async () => {
    const Given = Type.Object({ lines: Type.Integer() });
    const chatty = Axon.start("chatty", Given).thenFn(
      "log",
      ({ lines }, bus) => {
        for (let i = 0; i < lines; i += 1) bus.get(Log).info({ i, padding: "x".repeat(6000) }, "a line");
        return { lines };
      },
      { reads: [Log] },
    );
    for (const capture of ["off", "full"] as const) {
      const traced = tracedApp((ingress) => ingress.post("/chatty", chatty, { input: json(Given) }), capture);
      keepLog(traced.ingress);
      traced.ingress.plan.log.read(traced.collector.readLine);
      await new TestApp<any>(traced.ingress, {}).post("/chatty", { json: { lines: 100 } });

      const { logs } = traced.newest();
      // 256 KiB: a line takes 2 bytes for each character.
      assert.ok(logs.length > 15 && logs.length < 23, `${logs.length} lines`);
      assert.deepEqual((logs.at(-1) as { fields: any } | undefined)?.fields.i, logs.length - 1);
    }
  });
});

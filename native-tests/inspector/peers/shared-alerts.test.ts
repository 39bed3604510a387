import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { Alert } from "#inspector/api/watching.js";
import { alertingWorkers, BEGAN, OVER } from "../../support/alerting-workers.js";

describe("alerts of several workers", () => {
  test("are told once, and as over when no worker has them any more", async () => {
    const { first, other, pass } = alertingWorkers(3);
    const [one, two, three] = [first(1), other(2), other(3)];
    two.stall("2-1");
    await pass();
    one.stall("1-1");
    three.stall("3-1");
    await pass(12_000);
    two.goOn("2-1");
    one.goOn("1-1");
    await pass(12_000);

    assert.deepEqual(one.told, [BEGAN]);
    three.goOn("3-1");
    await pass(12_000);
    assert.deepEqual(one.told, [BEGAN, OVER]);
    assert.deepEqual([two.told, three.told], [[], []]);
  });

  test("are told again where one is graver, of whichever worker", async () => {
    const { first, other, pass } = alertingWorkers(2);
    const [one, two] = [first(1), other(2)];
    for (const { alerting } of [one, two]) alerting.shareWith(() => {});
    one.alerting.list = () => [alert({ severity: "warning" })];
    await pass(6000);
    two.alerting.list = () => [alert({ severity: "critical" })];
    await pass(6000);

    assert.deepEqual(one.told, ["k active warning", "k active critical"]);
  });

  test("are known though nothing of them arrived", async () => {
    const { first, other, pass } = alertingWorkers(2);
    const [one, two] = [first(1), other(2)];
    two.alerting.shareWith(() => {});
    two.stall("2-1");
    await pass(6000);
    two.goOn("2-1");
    assert.deepEqual(one.told, [BEGAN]);
    await pass(6000);

    assert.deepEqual(one.told, [BEGAN, OVER]);
  });

  test("are over when the worker that had them is gone and another stands in its place", async () => {
    const { first, other, pass } = alertingWorkers(2);
    const [one, two] = [first(1), other(2)];
    two.stall("2-1");
    await pass(6000);
    two.peers.close();
    await pass(6000);
    assert.deepEqual(one.told, [BEGAN]);
    other(3);
    await pass(6000);

    assert.deepEqual(one.told, [BEGAN, OVER]);
  });

  test("are not over when their worker is late once, while another begins in the place of a third", async () => {
    const { first, other, pass } = alertingWorkers(3);
    const [dead, live] = [other(2), other(3)];
    const one = first(1);
    await pass(1000);
    live.stall("3-1");
    await pass(6000);
    dead.peers.close();
    other(4);
    live.holdUp(true);
    await pass(6000);
    live.holdUp(false);
    await pass(12_000);

    assert.deepEqual(one.told, [BEGAN]);
  });

  test("are over when the worker that had them does not answer for a minute", async () => {
    const { first, other, pass } = alertingWorkers(2);
    const [one, two] = [first(1), other(2)];
    two.stall("2-1");
    await pass(6000);
    two.peers.close();
    await pass(50_000);
    assert.deepEqual(one.told, [BEGAN]);
    await pass(20_000);

    assert.deepEqual(one.told, [BEGAN, OVER]);
  });

  test("are told once where no other worker ever answers", async () => {
    const { first, pass } = alertingWorkers(2);
    const one = first(1);
    await pass(1000);
    one.stall("1-1");
    await pass(2000);
    one.goOn("1-1");
    await pass(150_000);

    assert.deepEqual(one.told, [BEGAN, OVER]);
  });

  test("are told again once they are there again, also by a first worker that has just begun", async () => {
    const { first, pass } = alertingWorkers(2);
    const one = first(1);
    for (const run of ["1-1", "1-2"]) {
      one.stall(run);
      await pass(6000);
      one.goOn(run);
      await pass(6000);
    }

    assert.deepEqual(one.told, [BEGAN, OVER, BEGAN, OVER]);
  });

  test("are asked for again after an answer that is no list of alerts", async () => {
    for (const bad of [{}, "text", { rows: [null], isCut: false }]) {
      const { first, other, pass } = alertingWorkers(2);
      const two = other(2);
      const one = first(1);
      two.alerting.shareWith(() => {});
      two.stall("2-1");
      const answers = [bad];
      two.peers.answers(
        "GET /api/v1/alerts",
        () => answers.shift() ?? { kind: "done", value: { alerts: two.alerting.list(), workers_silent: 0 } },
      );
      await pass(1000);
      assert.deepEqual(one.told, []);
      await pass(6000);

      assert.deepEqual(one.told, [BEGAN]);
    }
  });

  test("are asked for again after whoever is told has thrown", async () => {
    const { first, other, pass } = alertingWorkers(2);
    const [one, two] = [first(1), other(2)];
    two.alerting.shareWith(() => {});
    const { announce } = one.alerting;
    one.alerting.announce = () => {
      one.alerting.announce = announce;
      throw new Error("told of nothing");
    };
    two.stall("2-1");
    await pass(6000);
    two.goOn("2-1");
    await pass(6000);

    assert.deepEqual(one.told, [OVER]);
  });
});

function alert(given: Partial<Alert>): Alert {
  const alert = { key: "k", kind: "stall", state: "active", severity: "warning", circuit: null } as const;
  const rest = { node: null, title: "", cause: "", since: 1, last_at: 1, resolved_at: null, run_ids: [] };
  return { ...alert, ...rest, ...given };
}

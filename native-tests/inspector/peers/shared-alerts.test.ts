import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";

import type { RoomBus } from "#core/room-bus.js";
import { Alerting } from "#inspector/alerts/alerting.js";
import type { Alert } from "#inspector/api/watching.js";
import { whole } from "#inspector/peers/cut-list.js";
import { MergedAlerts } from "#inspector/peers/merged-alerts.js";
import { Peers } from "#inspector/peers/peers.js";
import { ALERTS, AlertHub, tellFirst } from "#inspector/peers/shared-alerts.js";
import { ManualClock } from "#runtime/manual-clock.js";
import { MemoryRooms } from "#std/memory-rooms.js";

const note = ({ key, state, severity }: Alert): string => `${key} ${state} ${severity}`;

/** A service of several workers, and what its hooks and its feed are told. */
function service(count: number) {
  const rooms = new MemoryRooms();
  const clock = new ManualClock();
  const expected = count - 1;
  const wallClock = () => 1_000_000 + clock.now();
  const process = (pid: number) => {
    const told: string[] = [];
    const hooked: string[] = [];
    const hook = { name: "hook", deliver: (alert: Alert) => void hooked.push(note(alert)) };
    const alerting = new Alerting({
      hooks: [hook],
      tell: (alert) => told.push(note(alert)),
      delivery: { debounceMs: 0 },
      clock,
      wallClock,
    });
    const bus = rooms.join();
    let isHeldUp = false;
    const publish: RoomBus["publish"] = (...message) => isHeldUp || bus.publish(...message);
    const subscribe: RoomBus["subscribe"] = (listener) => bus.subscribe(listener);
    const peers = new Peers({ bus: { ...bus, publish, subscribe }, expected, clock, pid });
    new MergedAlerts(alerting, peers);
    const stall = (run_id: string) => {
      const stall = { run_id, circuit: "c", node: "c/n", label: "n", entered_at: 0, request: null };
      alerting.stall(
        { kind: "stall_detected", stall: { ...stall, stalled_ms: 2000, threshold_ms: 1000 } },
        "c",
      );
    };
    const goOn = (run_id: string) =>
      alerting.stall({ kind: "stall_ended", run_id, node: "c/n", stalled_ms: 1 }, "c");
    /** From here on nothing that it says arrives, or again. */
    const holdUp = (is: boolean) => {
      isHeldUp = is;
    };
    return { alerting, peers, told, hooked, stall, goOn, holdUp };
  };
  const first = (pid: number) => {
    const one = process(pid);
    const { alerting, peers } = one;
    const hub = new AlertHub({
      own: alerting,
      peers,
      tell: (alert) => alerting.announce(alert),
      clock,
      wallClock,
    });
    alerting.shareWith(hub.changed);
    hub.start();
    return { ...one, hub };
  };
  const other = (pid: number) => {
    const one = process(pid);
    one.alerting.shareWith(tellFirst(one.peers));
    return one;
  };
  /** What is sent arrives, and time goes on. */
  const pass = async (ms = 0): Promise<void> => {
    for (let turns = 0; turns < 3; turns += 1) await setImmediate();
    for (let at = 0; at < ms; at += 500) {
      await clock.advance(500);
      for (let turns = 0; turns < 3; turns += 1) await setImmediate();
    }
  };
  return { first, other, pass };
}

const BEGAN = "stall:c/n active warning";
const OVER = "stall:c/n resolved warning";

describe("alerts of several workers", () => {
  test("are told once, and as over when no worker has them any more", async () => {
    const { first, other, pass } = service(3);
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
    assert.deepEqual(one.hooked, one.told);
    assert.deepEqual(
      [two, three].map(({ told, hooked }) => [told, hooked]),
      [
        [[], []],
        [[], []],
      ],
    );
  });

  test("are told again where one is graver, of whichever worker", async () => {
    const { first, other, pass } = service(2);
    const [one, two] = [first(1), other(2)];
    for (const { alerting } of [one, two]) alerting.shareWith(() => {});
    one.alerting.list = () => [alert({ severity: "warning" })];
    await pass(6000);
    two.alerting.list = () => [alert({ severity: "critical" })];
    await pass(6000);

    assert.deepEqual(one.told, ["k active warning", "k active critical"]);
  });

  test("are known though nothing of them arrived", async () => {
    const { first, other, pass } = service(2);
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
    const { first, other, pass } = service(2);
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

  test("are over when the worker that had them does not answer for a minute", async () => {
    const { first, other, pass } = service(2);
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
    const { first, pass } = service(2);
    const one = first(1);
    await pass(1000);
    one.stall("1-1");
    await pass(2000);
    one.goOn("1-1");
    await pass(150_000);

    assert.deepEqual(one.told, [BEGAN, OVER]);
  });

  test("are told again once they are there again, also by a first worker that has just begun", async () => {
    const { first, pass } = service(2);
    const one = first(1);
    for (const run of ["1-1", "1-2"]) {
      one.stall(run);
      await pass(6000);
      one.goOn(run);
      await pass(6000);
    }

    assert.deepEqual(one.told, [BEGAN, OVER, BEGAN, OVER]);
  });

  test("are told as over by a first worker that begins anew, though only one that answers late knows it", async () => {
    const { first, other, pass } = service(3);
    const [one, two] = [first(1), other(2)];
    other(3);
    two.stall("2-1");
    await pass();
    one.hub.close();
    one.peers.close();
    two.goOn("2-1");
    two.holdUp(true);
    const again = first(4);
    await pass(4000);
    assert.deepEqual(again.told, []);
    two.holdUp(false);
    await pass(6000);

    assert.deepEqual(again.told, [OVER]);
  });

  test("are asked for again after an answer that is no list of alerts", async () => {
    for (const bad of [{}, "text", { rows: [null], isCut: false }]) {
      const { first, other, pass } = service(2);
      const two = other(2);
      const one = first(1);
      two.alerting.shareWith(() => {});
      two.stall("2-1");
      const answers = [bad];
      two.peers.answers(ALERTS, () => answers.shift() ?? whole(two.alerting.list()));
      await pass(1000);
      assert.deepEqual(one.told, []);
      await pass(6000);

      assert.deepEqual(one.told, [BEGAN]);
    }
  });

  test("are asked for again after whoever is told has thrown", async () => {
    const { first, other, pass } = service(2);
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

  test("are told by a first worker that begins anew: what is there, and what ended shortly before", async () => {
    const { first, other, pass } = service(2);
    const [one, two] = [first(1), other(2)];
    two.alerting.violation({ rule: "there", detail: "" });
    two.stall("2-1");
    await pass();
    one.hub.close();
    one.peers.close();
    two.goOn("2-1");
    const again = first(3);
    await pass(6000);

    assert.deepEqual(again.told, ["policy_violation:there active critical", OVER]);
    const later = first(4);
    again.hub.close();
    again.peers.close();
    await pass(70_000);
    assert.deepEqual(later.told.length, 2);
    const last = first(5);
    later.hub.close();
    later.peers.close();
    await pass(6000);
    assert.deepEqual(last.told, ["policy_violation:there active critical"]);
  });
});

function alert(given: Partial<Alert>): Alert {
  const alert = { key: "k", kind: "stall", state: "active", severity: "warning", circuit: null } as const;
  const rest = { node: null, title: "", cause: "", since: 1, last_at: 1, resolved_at: null, run_ids: [] };
  return { ...alert, ...rest, ...given };
}

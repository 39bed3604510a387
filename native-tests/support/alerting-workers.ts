import { setImmediate } from "node:timers/promises";

import type { RoomBus } from "#core/room-bus.js";
import { Alerting } from "#inspector/alerts/alerting.js";
import type { Alert } from "#inspector/api/watching.js";
import { MergedAlerts } from "#inspector/peers/merged-alerts.js";
import { Peers } from "#inspector/peers/peers.js";
import { AlertHub, tellFirst } from "#inspector/peers/shared-alerts.js";
import { ManualClock } from "#runtime/manual-clock.js";
import { MemoryRooms } from "#std/memory-rooms.js";

/** What is told of a stall. */
export const BEGAN = "stall:c/n active warning";
export const OVER = "stall:c/n resolved warning";

const note = ({ key, state, severity }: Alert): string => `${key} ${state} ${severity}`;

/** A service of several workers, and what its hooks and its feed are told. */
export function alertingWorkers(count: number) {
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

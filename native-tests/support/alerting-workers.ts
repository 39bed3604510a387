import { setImmediate } from "node:timers/promises";

import type { RoomBus } from "#core/ports/room-bus.js";
import { Alerts } from "#inspector/alerts/alerts.js";
import type { Alert, Stall } from "#inspector/api/watching.js";
import { Peers } from "#inspector/peers/peers.js";
import { AlertHub, tellFirst } from "#inspector/peers/shared-alerts.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { MemoryRooms } from "#std/memory/memory-rooms.js";
import { inspected } from "./inspected.js";
import { stall as stallOf } from "./shown-alert.js";

/** What is told of a stall. */
export const BEGAN = "stall:c/n active warning";
export const OVER = "stall:c/n resolved warning";

const note = ({ key, state, severity }: Alert): string => `${key} ${state} ${severity}`;

/** A service of several workers, and what its hooks and feed are told. */
export function alertingWorkers(count: number) {
  const rooms = new MemoryRooms();
  const clock = new ManualClock();
  const expected = count - 1;
  const wallClock = () => 1_000_000 + clock.now();
  const process = (pid: number) => {
    const told: string[] = [];
    const stalls = new Map<string, Stall>();
    let changed = (alert: Alert): unknown => told.push(note(alert));
    const alerts = new Alerts({ tell: (alert) => changed(alert), wallClock });
    const look = () => alerts.evaluate({ stalls: [...stalls.values()], letters: [] });
    const shareWith = (to: (alert: Alert) => void) => {
      changed = to;
    };
    const alerting = {
      list: () => alerts.list(),
      announce: (alert: Alert) => void told.push(note(alert)),
      shareWith,
    };
    const bus = rooms.join();
    let isHeldUp = false;
    const publish: RoomBus["publish"] = (...message) => isHeldUp || bus.publish(...message);
    const subscribe: RoomBus["subscribe"] = (listener) => bus.subscribe(listener);
    const peers = new Peers({ bus: { ...bus, publish, subscribe }, expected, clock, pid });
    inspected({ alerts: alerting, peers });
    const stall = (run_id: string, node = "c/n") => {
      stalls.set(run_id, stallOf({ run_id, node }));
      look();
    };
    const goOn = (run_id: string) => {
      stalls.delete(run_id);
      look();
    };
    /** From here on nothing that it says arrives, or again. */
    const holdUp = (is: boolean) => {
      isHeldUp = is;
    };
    return { alerting, peers, told, stall, goOn, holdUp };
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

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { Report } from "framework";
import { ManualClock, RetryPolicy } from "framework/runtime";

import { AlertDispatcher, type AlertDispatcherOptions } from "#inspector/alerts/alert-dispatcher.js";
import { type AlertHook, AlertRefused } from "#inspector/alerts/alert-hook.js";
import { LogAlertHook } from "#inspector/alerts/log-alert-hook.js";
import { shownAlert } from "../../support/shown-alert.js";

/** A hook that notes what it is told, and fails as often as a test says. */
function hook(name = "hook") {
  const told: string[] = [];
  const ids: string[] = [];
  const failures: (Error | "hang")[] = [];
  const made: AlertHook = {
    name,
    deliver: (alert, { id, signal }) => {
      told.push(`${alert.key} ${alert.state}`);
      ids.push(id);
      const failure = failures.shift();
      if (failure instanceof Error) throw failure;
      if (failure === undefined) return undefined;
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
  };
  return { hook: made, failures, ids, told: () => told.splice(0) };
}

function dispatching(hooks: readonly AlertHook[], options: AlertDispatcherOptions = {}) {
  const clock = new ManualClock();
  const reports: Report[] = [];
  let made = 0;
  const dispatcher = new AlertDispatcher(hooks, {
    clock,
    debounceMs: 60_000,
    retry: RetryPolicy.exponential(2, 1000, 4, 60_000),
    reporter: (report) => reports.push(report),
    newId: () => `d${++made}`,
    ...options,
  });
  const send = (key: string, state: "active" | "resolved" = "active") =>
    dispatcher.dispatch(shownAlert({ key, state }));
  return { clock, reports, dispatcher, send };
}

describe("a dispatcher of alerts", () => {
  test("tells each hook, and none of them another's failure", async () => {
    const [one, two] = [hook("one"), hook("two")];
    const { clock, reports, send, dispatcher } = dispatching([one.hook, two.hook]);
    one.failures.push(new AlertRefused("no"));
    send("a");
    send("b");
    await clock.advance(0);

    assert.deepEqual(
      [one.told(), two.told()],
      [
        ["a active", "b active"],
        ["a active", "b active"],
      ],
    );
    assert.deepEqual(
      reports.map(({ code, message }) => `${code} ${message}`),
      ["ALERT_UNDELIVERED An alert did not reach one: it was refused"],
    );
    assert.equal(dispatcher.dropped, 1);
  });

  test("tries again as the policy says, under one id, then gives up and reports", async () => {
    const { hook: failing, failures, ids, told } = hook();
    const { clock, reports, send } = dispatching([failing]);
    failures.push(new Error("1"), new Error("2"), new Error("3"));
    send("a");
    send("b");
    await clock.advance(999);
    assert.equal(told().length, 1);
    await clock.advance(1);
    assert.equal(told().length, 1);
    await clock.advance(3999);
    assert.deepEqual([told(), reports], [[], []]);
    await clock.advance(1);

    assert.deepEqual(told(), ["a active", "b active"], "and the next one is not lost");
    assert.deepEqual(ids, ["d1", "d1", "d1", "d2"]);
    assert.match(reports[0]?.message ?? "", /hook: given up after 3 tries$/);
    assert.equal(String(reports[0]?.error), "Error: 3");
  });

  test("tells of one key once in its time, and at its end what it is then", async () => {
    const { hook: noting, told } = hook();
    const { clock, send } = dispatching([noting]);
    send("a");
    send("a", "resolved");
    send("a");
    send("a", "resolved");
    send("b");
    await clock.advance(59_999);
    assert.deepEqual(told(), ["a active", "b active"]);
    await clock.advance(1);
    assert.deepEqual(told(), ["a resolved"]);
    send("a");
    await clock.advance(60_000);
    assert.deepEqual(told(), ["a active"]);
    await clock.advance(60_000);
    assert.equal(clock.timers, 0, "nothing is kept of a key that is quiet");
    send("a", "resolved");
    await clock.advance(0);
    assert.deepEqual(told(), ["a resolved"], "at once");
  });

  test("says nothing at the end of that time where all is as it was", async () => {
    const { hook: noting, told } = hook();
    const { clock, send } = dispatching([noting]);
    send("a");
    send("a", "resolved");
    send("a");
    await clock.advance(600_000);

    assert.deepEqual(told(), ["a active"]);
  });

  test("keeps no more than may wait: the oldest makes room and is counted", async () => {
    const { hook: slow, failures, told } = hook();
    const { clock, send, dispatcher, reports } = dispatching([slow], { maxQueued: 3 });
    failures.push("hang");
    for (const key of ["a", "b", "c", "d", "e", "f"]) send(key);
    await clock.advance(0);
    assert.deepEqual(told(), ["a active"]);
    assert.equal(dispatcher.dropped, 2);
    assert.match(reports[0]?.message ?? "", /too many are waiting/);
    await dispatcher.close();
    send("g");
    await clock.advance(0);
    assert.deepEqual([told(), clock.timers], [[], 0], "nothing goes out of a server that stops");
  });

  test("ends a pause between tries when the server stops", async () => {
    const { hook: failing, failures, told } = hook();
    const { clock, send, dispatcher, reports } = dispatching([failing]);
    failures.push(new Error("1"));
    send("a");
    await clock.advance(10);
    await dispatcher.close();

    assert.deepEqual([told(), reports, clock.timers], [["a active"], [], 0]);
  });

  test("waits for no hook that ignores that the server stops", async () => {
    const began: string[] = [];
    const deaf: AlertHook = {
      name: "deaf",
      deliver: ({ key }) => {
        began.push(key);
        return new Promise<void>(() => {});
      },
    };
    const { clock, send, dispatcher, reports } = dispatching([deaf]);
    send("a");
    send("b");
    await clock.advance(0);
    await dispatcher.close();

    assert.deepEqual([began, reports, clock.timers], [["a"], [], 0]);
  });

  test("refuses what would do nothing", () => {
    for (const options of [{ maxQueued: 0 }, { debounceMs: -1 }, { retry: 5 }, { debounce: 5 }])
      assert.throws(() => dispatching([], options as AlertDispatcherOptions), { code: "CONFIG_INVALID" });
    assert.throws(() => new AlertDispatcher([{ name: "x" } as AlertHook]), { code: "CONFIG_INVALID" });
  });
});

describe("the hook that writes to the log", () => {
  test("writes a line at the alert's level, with what it is about as fields", () => {
    const lines: unknown[][] = [];
    const at =
      (level: string) =>
      (...args: unknown[]) => {
        lines.push([level, ...args.slice(1), (args[0] as { alert: string }).alert]);
      };
    const log = {
      trace: at("trace"),
      debug: at("debug"),
      info: at("info"),
      warn: at("warn"),
      error: at("error"),
      fatal: at("fatal"),
    };
    const writing = new LogAlertHook(log);
    writing.deliver(shownAlert({ title: "100 % failed" }));
    writing.deliver(shownAlert({ severity: "critical", title: "t" }));
    writing.deliver(shownAlert({ severity: "critical", state: "resolved", title: "t" }));

    assert.deepEqual(lines, [
      ["warn", "%s", "100 % failed", "error_rate:orders"],
      ["error", "%s", "t", "error_rate:orders"],
      ["info", "%s", "Over: t", "error_rate:orders"],
    ]);
  });
});

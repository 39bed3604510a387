import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { Report } from "framework";
import { ManualClock, RetryPolicy } from "framework/runtime";

import { AlertDispatcher, type AlertDispatcherOptions } from "#inspector/alerts/alert-dispatcher.js";
import { type AlertHook, AlertRefused, LogAlertHook } from "#inspector/alerts/alert-hook.js";
import { assertSaid } from "../../support/said.js";
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

function dispatching(hook: AlertHook, options: AlertDispatcherOptions = {}) {
  const clock = new ManualClock();
  const reports: Report[] = [];
  const dispatcher = new AlertDispatcher(hook, {
    clock,
    debounceMs: 60_000,
    retry: RetryPolicy.exponential(2, 1000, 4, 60_000),
    reporter: (report) => reports.push(report),
    ...options,
  });
  const send = (
    key: string,
    state: "active" | "resolved" = "active",
    severity: "warning" | "critical" = "warning",
  ) => dispatcher.dispatch(shownAlert({ key, state, severity }));
  return { clock, reports, dispatcher, send };
}

describe("a dispatcher of alerts", () => {
  test("does not send again what is refused, and reports it", async () => {
    const { hook: refusing, failures, told } = hook("one");
    const { clock, reports, send } = dispatching(refusing);
    failures.push(new AlertRefused("no"));
    send("a");
    send("b");
    await clock.advance(0);

    assert.deepEqual(told(), ["a active", "b active"]);
    assertSaid(
      reports.map(({ code, message }) => `${code} ${message}`),
      [/^ALERT_UNDELIVERED .* one: it was refused$/],
    );
  });

  test("tries again as the policy says, under one id, then gives up and reports", async () => {
    const { hook: failing, failures, ids, told } = hook();
    const { clock, reports, send } = dispatching(failing);
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
    assert.equal(new Set(ids.slice(0, 3)).size, 1);
    assert.notEqual(ids[2], ids[3]);
    assert.match(reports[0]?.message ?? "", /hook: given up after 3 tries$/);
    assert.equal(String(reports[0]?.error), "Error: 3");
  });

  test("tells of one key once in its time, and at its end what it is then", async () => {
    const { hook: noting, told } = hook();
    const { clock, send } = dispatching(noting);
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
    assert.deepEqual([told(), clock.timers], [["a active"], 0]);
  });

  test("says nothing at the end of that time where all is as it was", async () => {
    const { hook: noting, told } = hook();
    const { clock, send } = dispatching(noting);
    send("a");
    send("a", "resolved");
    send("a");
    await clock.advance(600_000);

    assert.deepEqual(told(), ["a active"]);
  });

  test("tells at once after that time, and of one that is graver", async () => {
    const { hook: noting, told } = hook();
    const { clock, send } = dispatching(noting);
    send("a");
    await clock.advance(60_000);
    send("a", "active", "critical");
    await clock.advance(0);
    assert.deepEqual(told(), ["a active", "a active"]);
    send("a", "resolved", "critical");
    await clock.advance(30_000);
    send("b");
    await clock.advance(30_000);

    assert.deepEqual([told(), clock.timers], [["b active", "a resolved"], 0]);
  });

  test("keeps the latest of each key while the hook is slow, and nothing once the server stops", async () => {
    const { hook: slow, failures, told } = hook();
    const { clock, send, dispatcher } = dispatching(slow);
    failures.push(new Error("1"));
    for (const key of ["a", "b", "c"]) for (const state of ["active", "resolved"] as const) send(key, state);
    await clock.advance(1000);
    assert.deepEqual(told(), ["a active", "a active", "b resolved", "c resolved"]);
    void dispatcher.close();
    send("g");
    await clock.advance(100_000);

    assert.deepEqual([told(), clock.timers], [[], 0]);
  });

  test("ends a pause between tries when the server stops", async () => {
    const { hook: failing, failures, told } = hook();
    const { clock, send, dispatcher, reports } = dispatching(failing);
    failures.push(new Error("1"));
    send("a");
    await clock.advance(10);
    void dispatcher.close();

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
    const { clock, send, dispatcher, reports } = dispatching(deaf);
    send("a");
    send("b");
    await clock.advance(0);
    void dispatcher.close();

    assert.deepEqual([began, reports, clock.timers], [["a"], [], 0]);
  });

  test("refuses a hook that cannot be told", () => {
    assert.throws(() => new AlertDispatcher({ name: "x" } as AlertHook), { code: "CONFIG_INVALID" });
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

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework, MemoryRuns } from "framework";
import type { RunStore } from "#core/ports/run-store.js";
import { TestApp } from "#http/testing/test-app.js";
import { forgetRun } from "#runtime/hosting/forgotten-runs.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { adding, beginning, hosts } from "../../support/hosts.js";

const DAY_MS = 86_400_000;
const HOURS_MS = 2 * 3_600_000;
const cancelled = { $: ["fault", { code: "RUN_CANCELLED", runId: "cancelled", reason: "no" }] };

const kept = (runs: RunStore, retain: { readonly endedDays?: number; readonly failedDays?: number }) =>
  Axon.start<number>("kept")
    .withPersistenceStore(runs, { retain })
    .thenFn("add", (n) => n + 1);

/** Which runs of two Axons are left `ageMs` after their end. The hosts keep those that do not say for a second. */
async function leftAfter(
  ageMs: number,
  retain: { readonly endedDays?: number; readonly failedDays?: number },
): Promise<readonly string[]> {
  const storeClock = new ManualClock();
  const runs = new MemoryRuns({ clock: storeClock });
  const { clock, host } = hosts();
  runs.append("completed", 0, [beginning("kept"), { kind: "ended", at: 2, output: 1 }]);
  runs.append("cancelled", 0, [beginning("kept"), { kind: "ended", at: 2, error: cancelled }]);
  runs.append("failed", 0, [beginning("kept"), { kind: "ended", at: 2, error: "no" }]);
  runs.append("other", 0, [beginning("sums"), { kind: "ended", at: 2, output: 1 }]);
  await storeClock.advance(ageMs);
  await host([kept(runs, retain), adding(runs, [])]).begin();
  await clock.advance(HOURS_MS);
  return runs.list({ limit: 9 }).map(({ id }) => id);
}

describe("ended runs", () => {
  test("of an Axon that says for how long are kept so long, failed ones by a time of their own", async () => {
    const retain = { endedDays: 2, failedDays: 4 };

    assert.deepEqual(await leftAfter(DAY_MS, retain), ["failed", "cancelled", "completed"]);
    assert.deepEqual(await leftAfter(3 * DAY_MS, retain), ["failed"]);
    assert.deepEqual(await leftAfter(5 * DAY_MS, retain), []);
  });

  test("are kept as the store keeps all where their Axon does not say", async () => {
    assert.deepEqual(await leftAfter(DAY_MS, { endedDays: 2 }), ["cancelled", "completed"]);
    assert.deepEqual(await leftAfter(DAY_MS, { failedDays: 2 }), ["failed"]);
  });

  test("are kept by an Axon's own time only in a store that can tell its runs from others", () => {
    const unlisted = { ...new MemoryRuns(), list: undefined } as never as RunStore;
    const retain = { endedDays: 1 };
    const axon = Axon.start<void>("kept").withPersistenceStore(unlisted, { retain });
    const app = Framework.http().get("/kept", axon);

    assert.throws(() => new TestApp(app), {
      code: "CONFIG_INVALID",
      message: /the store of Axon 'kept' has no list/,
    });
  });
});

describe("an ended run that is forgotten by hand", () => {
  test("is told to the run that waits for it, recorded, and deleted unless it was begun anew", async () => {
    const runs = new MemoryRuns();
    const ended = [beginning("kept"), { kind: "ended", at: 2, output: 1 }] as const;
    const done: string[] = [];
    const tellEnds = async (): Promise<void> => void done.push("told");
    runs.append("a", 0, ended);
    runs.append("b", 0, ended);
    const record = async () => {
      done.push("recorded");
      runs.remove("a");
      runs.append("a", 0, [beginning("kept")]);
      return undefined;
    };

    // FR1: its beginning stays.
    assert.equal(await forgetRun(runs, "a", { tellEnds, record }), "unknown");
    assert.equal(runs.read("a").length, 1);
    assert.equal(await forgetRun(runs, "a", { tellEnds, record }), "running");
    assert.deepEqual(done, ["told", "recorded"]);
    assert.equal(await forgetRun(runs, "b", { tellEnds, record }), "forgotten");
    assert.deepEqual(runs.read("b"), []);
  });
});

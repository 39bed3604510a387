import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { MemoryRuns } from "framework";
import type { RunEntry } from "#core/ports/run-store.js";
import { endSignal } from "#core/ports/run-waits.js";
import { ToldEnds } from "#runtime/hosting/told-ends.js";
import { beginning } from "../../support/hosts.js";

const ended: RunEntry = { kind: "ended", at: 2, output: 7 };

describe("the ends of begun runs", () => {
  test("are told, although others cannot be read, which are asked for once a look", async () => {
    const runs = new MemoryRuns();
    runs.append("parent", 0, [beginning("sums")]);
    const children = Array.from({ length: 120 }, (_, n) => `child ${n}`);
    for (const id of children) {
      runs.append(id, 0, [{ ...beginning("sums"), tells: "parent" } as RunEntry, ended]);
    }
    let asked = 0;
    const glance: typeof runs.glance = (id) => {
      asked += 1;
      if (id === "child 119" || id === "child 0") throw new Error("damaged");
      return runs.glance(id);
    };
    const ends = new ToldEnds([Object.assign(Object.create(runs), runs, { glance })], () => {});
    await assert.rejects(ends.look(), /damaged/);

    const kept = runs.waits.signals("parent", children.map(endSignal));
    assert.equal((await kept).length, 118);
    assert.ok(asked <= 123, `${asked} asked`);
  });
});

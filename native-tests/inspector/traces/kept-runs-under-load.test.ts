// Which runs are kept where there are more than the store wants.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, fault, header } from "framework";
import { tracedApp } from "../../support/traced-app.js";

let release = (): void => {};
let released: Promise<void> | undefined;

const axon = Axon.start("work").thenFn(
  "work",
  async (_, bus) => {
    const asked = bus.get(header("x-kind"));
    if (asked === "slow") await released;
    return asked === "bad" || asked === "other" ? fault({ code: asked }) : `did ${asked}`;
  },
  { reads: [header("x-kind")] },
);

/** Four places: two for the newest, one for the slowest, one for those that faulted; hardly any run a second. */
const opened = (isSought: (id: string) => boolean = () => false) => {
  const traced = tracedApp(
    (ingress) => ingress.get("/", axon),
    "off",
    { maxTraces: 4, newestPerSecond: 1, faultedPerSecond: 1, now: () => 1e6 },
    { isSought: ({ request }) => isSought(request?.requestId ?? "") },
  );
  const ask = (id: string, kind = "usual") =>
    traced.app.get("/", { headers: { "x-request-id": id, "x-kind": kind } });
  const ids = () =>
    traced
      .rows()
      .map(({ request }) => request?.request_id)
      .sort();
  return { ...traced, ask, ids };
};

describe("of more runs than are wanted in a second", () => {
  test("are kept some of the newest, the slowest and those that faulted", async () => {
    const { ask, ids, store } = opened();
    released = new Promise((resolve) => {
      release = resolve;
    });
    // Longer than any other: it begins before them and ends behind them.
    const slow = ask("slow", "slow");
    for (let run = 0; run < 52; run += 1) await ask(`usual-${run}`);
    release();
    await slow;
    await ask("bad", "bad");
    const kept = ids();

    assert.ok(kept.includes("slow") && kept.includes("bad"), kept.join(" "));
    assert.ok(kept.length <= 4);
    assert.equal(store.dropped, 54 - kept.length);
  });

  test("are kept some of those that faulted, of each cause", async () => {
    const { ask, rows, store } = opened();
    await ask("other", "other");
    for (let run = 0; run < 20; run += 1) await ask(`bad-${run}`, "bad");
    const kept = rows().map(({ request }) => request?.request_id);

    // Of a place of one, what is over the first is not looked at, but where it is the slowest.
    assert.ok(kept.includes("bad-0"), kept.join(" "));
    assert.equal(store.dropped, 21 - kept.length);
  });

  test("is kept whoever is looked for, as it was", async () => {
    const { ask, rows, store } = opened((id) => id.startsWith("sought"));
    for (let run = 0; run < 50; run += 1) await ask(`usual-${run}`);
    await ask("sought-1");
    const [row] = rows();
    const trace = store.get(row?.run_id ?? "");

    assert.equal(row?.request?.request_id, "sought-1");
    assert.equal(row?.request?.http_status, 200);
    assert.deepEqual(
      trace?.nodes.map(({ node }) => node),
      ["work/work"],
    );
  });

  test("each that is kept says what it was, whichever went before it in its place", async () => {
    const { ask, rows, store } = opened(() => true);
    for (let run = 0; run < 20; run += 1) await ask(`run-${run}`, run % 3 === 0 ? "bad" : "usual");

    for (const row of rows()) {
      const run = Number(row.request?.request_id.slice(4));
      assert.equal(row.status, run % 3 === 0 ? "faulted" : "completed");
      assert.equal(row.request?.http_status, run % 3 === 0 ? 500 : 200);
      assert.equal(store.get(row.run_id)?.run.request?.request_id, row.request?.request_id);
    }
    assert.equal(new Set(rows().map(({ run_id }) => run_id)).size, rows().length);
  });
});

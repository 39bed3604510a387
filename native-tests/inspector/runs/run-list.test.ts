import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Bus, MemoryRuns } from "framework";
import { KeptRuns } from "#inspector/runs/kept-runs.js";
import { DrawnNodes } from "#inspector/traces/drawn-nodes.js";
import { PayloadCapture } from "#inspector/traces/payload-capture.js";
import { adding, beginning, hosts } from "../../support/hosts.js";
import { asViewer, inspected } from "../../support/inspected.js";

interface Page {
  readonly runs: readonly {
    readonly run_id: string;
    readonly state: string;
    readonly ended_at: number | null;
  }[];
  readonly cursor: string | null;
  readonly stores_unlisted: number;
}

/** Six runs of two Axons in two stores, of which those with an even number have ended. */
function listed() {
  const { clock, runs: one } = hosts();
  const other = new MemoryRuns({ clock });
  const axons = [adding(one, [], "sums"), adding(other, [], "totals")];
  for (let n = 0; n < 6; n += 1) {
    const [store, axon] = n % 3 === 0 ? ([other, "totals"] as const) : ([one, "sums"] as const);
    store.append(`run-${n}`, 0, [{ ...beginning(axon), at: 100 + n }]);
    if (n % 2 === 0) store.append(`run-${n}`, 1, [{ kind: "ended", at: 200, output: n }]);
  }
  const runs = new KeptRuns({
    axons: axons.map(({ definition }) => definition),
    ...{ resources: Bus.of([]) as never, clock, reporter: () => {} },
    ...{ nodes: new DrawnNodes(() => []), capture: new PayloadCapture("off") },
  });
  const { app } = inspected({ runs });
  const get = (query: string) => app.get(`/api/v1/run-list?${query}`, asViewer);
  const page = async (query: string) => ((await get(query)).json as { readonly data: Page }).data;
  return { get, page };
}

describe("the list of kept runs", () => {
  test("has ended ones too, the newest first, over pages of several stores", async () => {
    const { page } = listed();
    const ids: string[][] = [];
    let cursor: string | null = "";
    for (let n = 0; cursor !== null && n < 9; n += 1) {
      const { runs, ...next }: Page = await page(`limit=2${cursor && `&cursor=${cursor}`}`);
      ids.push(runs.map(({ run_id }) => run_id));
      cursor = next.cursor;
    }

    assert.deepEqual(ids.flat(), ["run-5", "run-4", "run-3", "run-2", "run-1", "run-0"]);
    assert.ok(ids.every((some) => some.length <= 2));
  });

  test("is one of a state, a circuit and a time", async () => {
    const { page, get } = listed();
    const idsOf = async (query: string) => (await page(query)).runs.map(({ run_id }) => run_id);

    assert.deepEqual(await idsOf("state=completed"), ["run-4", "run-2", "run-0"]);
    assert.deepEqual(await idsOf("state=failed"), []);
    assert.deepEqual(await idsOf("circuit=totals"), ["run-3", "run-0"]);
    assert.deepEqual(await idsOf("since=102&until=104"), ["run-3", "run-2"]);
    const [newest] = (await page("state=completed")).runs;
    assert.ok(newest?.state === "completed" && typeof newest.ended_at === "number");
    assert.equal((await get("cursor=nonsense")).status, 422);
  });
});

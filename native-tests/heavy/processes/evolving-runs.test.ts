// Runs of an Axon that has changed: what docs/evolving-runs.md promises of each change and strategy,
// tried on a store that both builds use, and what `framework runs check` says before.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { Framework, isFault, openStores, type Stores } from "framework";
import { keptProgramOf } from "#cli/application/kept-program.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { checkRuns } from "#runtime/hosting/checked-runs.js";
import { CHANGES, COLUMNS, type Column, Go, newAxon, oldAxon } from "../../support/evolving-axons.js";
import { until } from "../../support/patience.js";
import { fromRoot } from "../../support/root.js";

const folder = mkdtempSync(join(tmpdir(), "evolving-"));
let places = 0;
after(() => rmSync(folder, { recursive: true }));

/** The cells of the page's table, by row and column. */
function promised(): ReadonlyMap<string, string> {
  const rows = readFileSync(fromRoot("docs/evolving-runs.md"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.slice(2, -2).split(" | "));
  const head = rows.find((row) => row.includes("`resumeFromStart`")) ?? [];
  return new Map(
    rows
      .filter((row) => row.length === head.length && Object.hasOwn(CHANGES, row[0] ?? ""))
      .flatMap(([row, ...cells]) => cells.map((cell, at) => [`${row}: ${head[at + 1]}`, cell] as const)),
  );
}

const serving = (axon: AnyAxon, url: string) =>
  Framework.http({ processGuards: false })
    .stores(openStores(url), { everyMs: 20 })
    .post("/orders", axon as never, { detached: true })
    .runStatus("/runs/:run_id")
    .bind("127.0.0.1:0");
type Serving = ReturnType<typeof serving>;

/** What the check says of the one run that is stored. */
async function checked(ingress: Serving, url: string): Promise<string> {
  const stores = openStores(url);
  try {
    const { axons, given } = keptProgramOf(ingress.plan, [], stores);
    const kept = axons.map((axon) => ({ ...axon, persistence: { ...axon.persistence, store: stores.runs } }));
    const [found] = await checkRuns(stores.runs, { axons: kept, given });
    return found?.way ?? "none";
  } catch {
    return "refused";
  } finally {
    await stores.close();
  }
}

/** Ends the hour for which it sleeps; also that of a run that has begun again. */
async function wake({ runs }: Stores): Promise<void> {
  await runs.waits?.wake("r", (await runs.glance?.("r"))?.entries ?? 0);
}

/** What became of the run: the words of the page. */
function fateOf(kind: string, done: readonly string[]): string {
  if (kind === "waiting" || kind === "unfit") return kind === "waiting" ? "keeps waiting" : "unfit";
  if (done.some((step) => step.startsWith("old"))) return "old code";
  return done.includes("new reserve") ? "restarts" : "resumes";
}

const WAYS: Readonly<Record<string, readonly string[]>> = {
  resumes: ["same", "migrates"],
  restarts: ["migrates"],
  "old code": ["old code"],
  unfit: ["unfit"],
  "keeps waiting": ["unfit"],
  refused: ["refused"],
};

async function tried(change: string, column: Column): Promise<{ fate: string; way: string }> {
  places += 1;
  const url = `sqlite:${join(folder, `${places}.db`)}`;
  const done: string[] = [];
  const isSignalled = CHANGES[change]?.isSignalled === true;
  const first = await serving(
    oldAxon(() => {}, isSignalled),
    url,
  ).run();
  const stores = openStores(url);
  try {
    await stores.open();
    const began = await first.runs.start({ name: "order" } as never, 1 as never, { runId: "r" });
    assert.equal(began.kind, "begun");
    await until("it stands", async () => (await stores.runs.ownership?.("r"))?.wait !== undefined);
    await first.close();
    const build = (): Serving =>
      serving(
        newAxon(change, column, (what) => void done.push(what)),
        url,
      );
    const way = await checked(build(), url);
    const second = await build()
      .run()
      .catch(() => undefined);
    if (second === undefined) return { fate: "refused", way };
    const sent = isSignalled ? await second.runs.signal("r", Go, 1) : undefined;
    const isLost = sent !== undefined && !isFault(sent) && sent.kind === "invalid";
    let kind = "";
    await until(`${change} by ${column} is decided`, async () => {
      await wake(stores);
      ({ kind } = await second.runs.result("r"));
      return isLost || ["unfit", "completed", "failed"].includes(kind);
    });
    await second.close();
    return { fate: fateOf(kind, done), way };
  } finally {
    await stores.close();
  }
}

describe("a run of the version before", () => {
  const cells = promised();

  test("has a row in the page for each change, and a column for each strategy", () => {
    const wanted = Object.keys(CHANGES).flatMap((row) => COLUMNS.map((column) => `${row}: ${column}`));

    assert.deepEqual([...cells.keys()].sort(), wanted.sort());
  });

  for (const change of Object.keys(CHANGES))
    test(`meets what the page and the check say where ${change}`, async () => {
      const found: Record<string, string> = {};
      const said: Record<string, string | undefined> = {};
      for (const column of COLUMNS) {
        const { fate, way } = await tried(change, column);
        found[column] = fate;
        said[column] = cells.get(`${change}: ${column}`);
        assert.ok(WAYS[fate]?.includes(way), `${column}: the check says '${way}', and the run: '${fate}'`);
      }

      assert.deepEqual(found, said);
    });
});

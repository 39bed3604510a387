import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, busKey, MemoryRuns, MigrationStrategy, signal, Type, transition } from "framework";
import type { AnyKey } from "#core/bus/bus-key.js";
import type { RunEntry, RunStore } from "#core/ports/run-store.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import type { KeptAxon } from "#runtime/hosting/abandoned-runs.js";
import { type CheckOptions, checkRuns } from "#runtime/hosting/checked-runs.js";
import { beginning } from "../../support/hosts.js";

const Rate = busKey<number>()("Rate");
const Go = signal<number>()("go", Type.Number());

const book = transition({ name: "book", run: (n: number) => n });
const unbook = transition({ name: "unbook", run: () => {} });

/** What a read-only command may call. */
const readable = ({ unfinished, read, waits }: MemoryRuns) =>
  ({ unfinished, read, waits: { signals: waits.signals } }) as unknown as RunStore;

/** The Axon with the store that the check reads. */
const keptBy = (store: RunStore, axon: AnyAxon): KeptAxon => {
  const { definition } = axon;
  const { persistence } = definition;
  assert.ok(persistence);
  return { ...definition, persistence: { ...persistence, store } };
};

async function checked(
  runs: MemoryRuns,
  axons: readonly AnyAxon[],
  given: readonly AnyKey[] | undefined = [],
  options: Partial<CheckOptions> = {},
) {
  const store = readable(runs);
  const kept = axons.map((axon) => keptBy(store, axon));
  const found = await checkRuns(store, { axons: kept, given: () => given, ...options });
  return found.map(({ axon, version, count, ...way }) => [
    `${count} ${axon} ${version}`,
    way.way === "migrates" ? way.strategy : way.way === "unfit" ? way.reason : way.way,
  ]);
}

const checkpoint = (node: string, more: object = {}): RunEntry =>
  ({ kind: "checkpoint", at: 2, node, input: 2, bus: {}, jumps: 0, completed: [], ...more }) as RunEntry;
const at = (node: string, version = "1.0.0"): RunEntry =>
  ({ ...beginning("sums", version), node }) as RunEntry;
const waiting = (node: string, more: object): RunEntry =>
  ({ ...checkpoint(node, more), kind: "waiting" }) as RunEntry;

const sums = (migrations: readonly object[] = [], version = "2.0.0") =>
  Axon.start<number>("sums")
    .withVersion(version)
    .withPersistenceStore(new MemoryRuns(), { migrations: migrations as never })
    .thenFn("add", (n) => n + 1)
    .thenFn("note", (n) => n);

describe("a check of the runs that are stored", () => {
  test("has each Axon and version by what becomes of its runs, with ids of some", async () => {
    const runs = new MemoryRuns();
    for (const id of ["a", "b", "c", "d"]) runs.append(id, 0, [at("sums/add", "2.0.0")]);
    runs.append("gone", 0, [beginning("gone")]);
    runs.append("node", 0, [at("sums/plus", "2.0.0")]);
    runs.append("none", 0, [at("sums/add", "0.1.0")]);
    runs.append("moved", 0, [at("sums/plus", "1.0.0")]);
    runs.append("other", 0, [at("sums/minus", "1.0.0")]);
    runs.append("old", 0, [at("sums/add", "1.1.0")]);
    runs.append("ended", 0, [at("sums/add", "0.1.0"), { kind: "ended", at: 2 }]);
    const old = sums([], "1.1.0") as AnyAxon;
    const axon = sums([
      { from: "1.0.0", strategy: MigrationStrategy.migrateActiveNode("sums/plus", "sums/add") },
      { from: "1.1.0", strategy: MigrationStrategy.completeOnOldVersion(old) },
    ]);
    const store = readable(runs);

    assert.deepEqual(await checked(runs, [axon]), [
      [
        "1 gone 1.0.0",
        "no mounted Axon of that name keeps its runs here: mount it, or let the process that has it resume them",
      ],
      ["1 sums 0.1.0", "no migration leads from '0.1.0' to '2.0.0': add one, or cancel them"],
      ["1 sums 1.0.0", "migrate-active-node"],
      ["1 sums 1.0.0", "Version '1.0.0' began it, and no migration leads it to '2.0.0'"],
      ["1 sums 1.1.0", "old code"],
      ["4 sums 2.0.0", "same"],
      ["1 sums 2.0.0", "Axon 'sums' has no node 'sums/plus' where it could go on"],
    ]);
    const kept = await checkRuns(store, { axons: [keptBy(store, axon)], given: () => [], axon: "sums" });
    assert.deepEqual(kept.find(({ count }) => count === 4)?.examples, ["a", "b", "c"]);
    assert.ok(kept.every((each) => each.axon === "sums"));
  });

  test("finds what a node alone does not show: steps that cannot be undone, and keys that nothing provides", async () => {
    const runs = new MemoryRuns();
    const done = { node: "trips/book", input: 1, output: 1 };
    const begun = { ...beginning("trips"), node: "trips/book" } as RunEntry;
    runs.append("booked", 0, [begun, checkpoint("trips/note", { completed: [done] })]);
    const trips = Axon.start<number>("trips").withPersistenceStore(runs);
    const undone = trips.thenCompensated(book, unbook).thenFn("note", (n) => n);
    const kept = trips.then(book).thenFn("note", (n) => n);
    const rated = trips
      .thenCompensated(book, unbook)
      .thenFn("note", { uses: { rate: Rate } }, (n, { rate }) => n * rate) as unknown as AnyAxon;

    assert.deepEqual(await checked(runs, [undone]), [["1 trips 1.0.0", "same"]]);
    assert.deepEqual(await checked(runs, [kept]), [
      ["1 trips 1.0.0", "Axon 'trips' can no longer undo 'trips/book', which the run has completed"],
    ]);
    const [[, why] = []] = await checked(runs, [rated]);
    assert.match(String(why), /^Steps read what nothing provides: 'Rate' for step 'note' of Axon 'trips'/);
    assert.deepEqual(await checked(runs, [rated], [Rate]), [["1 trips 1.0.0", "same"]]);
  });

  test("takes keys for given that only the caller of a resumption has", async () => {
    const runs = new MemoryRuns();
    runs.append("rated", 0, [{ ...beginning("rated"), node: "rated/note" } as RunEntry]);
    const rated = Axon.start<number>("rated")
      .withPersistenceStore(runs)
      .thenFn("note", { uses: { rate: Rate } }, (n, { rate }) => n * rate) as unknown as AnyAxon;

    assert.deepEqual(await checked(runs, [rated], [], { given: () => undefined }), [
      ["1 rated 1.0.0", "same"],
    ]);
  });

  test("finds runs that wait for a signal that no step takes any more, unless a time or an end wakes them", async () => {
    const runs = new MemoryRuns();
    const node = "waits/wait for go";
    const begun = { ...beginning("waits"), node } as RunEntry;
    const wait = (id: string, more: object) => runs.append(id, 0, [begun, waiting(node, more)]);
    wait("lost", { signals: ["stop"] });
    wait("known", { signals: ["go", "stop"] });
    wait("timed", { signals: ["stop"], inMs: 1000 });
    wait("child", { signals: ["run:child"] });
    wait("came", { signals: ["stop"] });
    runs.waits.signal("came", { name: "stop", payload: 1, id: "s" });
    wait("cancelled", { signals: ["stop"] });
    runs.requestCancel("cancelled", { reason: "no", at: 1 });
    const waits = Axon.start<number>("waits").withPersistenceStore(runs).waitFor(Go);

    assert.deepEqual(await checked(runs, [waits as unknown as AnyAxon]), [
      [
        "1 waits 1.0.0",
        "It waits for the signal 'stop', and no step of Axon 'waits' does any more: nothing can wake it",
      ],
      ["5 waits 1.0.0", "same"],
    ]);
  });

  test("names damaged logs and inputs, counts stuck runs, and fails where the store fails", async () => {
    const runs = new MemoryRuns();
    runs.append("damaged", 0, [at("sums/add", "2.0.0"), { kind: "odd", at: 1 } as never]);
    runs.append("input", 0, [{ ...at("sums/add", "2.0.0"), input: { $: ["odd", 1] } } as RunEntry]);
    runs.append("stuck", 0, [at("sums/add", "2.0.0"), { kind: "stuck", at: 1 }]);
    const store = readable(runs);
    const asked = { axons: [keptBy(store, sums())], given: () => [] };
    const found = await checkRuns(store, asked);

    assert.deepEqual(
      found.map(({ examples, way, stuck }) => [examples, way, stuck]),
      [
        [["damaged"], "unfit", 0],
        [["input"], "unfit", 0],
        [["stuck"], "same", 1],
      ],
    );
    for (const each of found.slice(0, 2))
      assert.match(each.way === "unfit" ? each.reason : "", /^Its log cannot be read: /);
    const away = { ...store, read: () => Promise.reject(new Error("away")) };
    await assert.rejects(checkRuns(away, { ...asked, axons: [keptBy(away, sums())] }), /away/);
  });

  // CK1: as a resumption does, mapInput included.
  test("gives the input of the old node to the function of the migration, as a resumption does", async () => {
    const runs = new MemoryRuns();
    runs.append("whole", 0, [at("sums/add")]);
    runs.append("odd", 0, [{ ...at("sums/add"), input: "odd" } as RunEntry]);
    const strategy = MigrationStrategy.fallbackToNode("sums/note", (input) => {
      if (typeof input !== "number") throw new Error("no number");
      return input;
    });
    const [moved, [, why] = []] = await checked(runs, [sums([{ from: "1.0.0", strategy }])]);

    assert.deepEqual(moved, ["1 sums 1.0.0", "fallback-to-node"]);
    assert.match(String(why), /^Its input at 'sums\/add' could not be mapped: .*no number/);
  });

  // CK2: bounded, whatever the list has.
  test("reads page by page, each run once, and tells a bounded number of reasons apart", async () => {
    const runs = new MemoryRuns();
    for (let id = 0; id < 1250; id += 1)
      runs.append(`r-${id}`, 0, [{ ...at("sums/add"), input: id } as RunEntry]);
    const limits: number[] = [];
    const store = readable(runs);
    const paged: RunStore = {
      ...store,
      unfinished: (filter) => {
        limits.push(filter?.limit ?? 0);
        return runs.unfinished(filter);
      },
    };
    const strategy = MigrationStrategy.fallbackToNode("sums/note", (input) => {
      throw new Error(`odd ${input}`);
    });
    const counts: number[] = [];
    const found = await checkRuns(paged, {
      ...{ axons: [keptBy(paged, sums([{ from: "1.0.0", strategy }]))], given: () => [] },
      checked: (count) => void counts.push(count),
    });

    assert.equal(
      found.reduce((sum, { count }) => sum + count, 0),
      1250,
    );
    assert.ok(found.length <= 501, `${found.length} kinds`);
    assert.deepEqual(found.at(-1)?.way === "unfit" && found.at(-1)?.count, 750);
    assert.equal(counts.at(-1), 1250);
    assert.ok(limits.length > 5 && limits.every((limit) => limit <= 200));
  });
});

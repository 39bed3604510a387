import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, MemoryRuns, MigrationStrategy } from "framework";
import type { RunEntry } from "#core/ports/run-store.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { programOf } from "#runtime/axon/in-process.js";
import { ServedRuns } from "#runtime/hosting/served-runs.js";
import { wrongMigrations } from "#runtime/hosting/wrong-migrations.js";
import { adding, beginning, hosts, LEASE_MS } from "../../support/hosts.js";

describe("runs that no code of a process fits", () => {
  test("are counted by Axon, version and state at the start and hourly, and reported while they are abandoned", async () => {
    const { clock, runs, reports, host } = hosts();
    runs.beat("living", 2 * 3_600_000);
    for (const id of ["a", "b"]) runs.append(id, 0, [beginning("sums", "0.9.0")], "dead");
    runs.append("c", 0, [beginning("sums", "0.9.0")], "living");
    runs.append("d", 0, [beginning("gone")], "dead");
    runs.append("e", 0, [{ ...beginning("sums"), node: "sums/gone" } as RunEntry], "dead");
    const one = host([adding(runs, [])]);
    await one.begin();
    await clock.advance(2 * LEASE_MS);
    const left = () => reports.filter(({ code }) => code === "RUNS_LEFT").map(({ message }) => message);
    assert.deepEqual(left(), [
      "2 abandoned runs of 'sums' 0.9.0 are left: no migration leads from '0.9.0' to '1.0.0': add one, or cancel them",
      "1 abandoned runs of 'gone' 1.0.0 are left: no mounted Axon of that name keeps its runs here: mount it, or let the process that has it resume them",
    ]);
    await clock.advance(4_500_000);
    await one.leave();

    assert.equal(left().length, 4);
    assert.deepEqual(
      one.left.counts.map(({ axon, version, state, count }) => [axon, version, state, count]),
      [
        ["sums", "0.9.0", "unfit", 2],
        ["sums", "0.9.0", "running", 1],
        ["gone", "1.0.0", "unfit", 1],
        ["sums", "1.0.0", "unfit", 1],
      ],
    );
    assert.deepEqual(
      one.left.draining.map(({ axon, version, way, count }) => [axon, version, way, count]),
      [
        ["sums", "0.9.0", "unfit", 2],
        ["sums", "0.9.0", "unfit", 1],
        ["gone", "1.0.0", "unfit", 1],
      ],
    );
  });

  test("of another version drain by its migrations: by old code where some of them need it", async () => {
    const { clock, runs, host } = hosts();
    const old = (version: string) =>
      MigrationStrategy.completeOnOldVersion(
        Axon.start<number>("sums")
          .withVersion(version)
          .withPersistenceStore(runs)
          .thenFn("add", (n) => n),
      );
    const migrations = [
      { from: "0.1.0", strategy: MigrationStrategy.fail() },
      { from: "0.2.0", strategy: MigrationStrategy.resumeFromStart() },
      { from: "0.3.0", strategy: MigrationStrategy.migrateActiveNode("sums/odd", "sums/add") },
      { from: "0.3.0", strategy: old("0.3.0") },
    ];
    const counts = ["0.1.0", "0.2.0", "0.3.0", "1.0.0"].map((version) => ({
      ...{ axon: "sums", version, state: "waiting", count: 3, abandoned: 0 },
    }));
    const axon = Axon.start<number>("sums")
      .withPersistenceStore(Object.assign(runs, { counted: () => counts }), { migrations })
      .thenFn("add", (n) => n);
    const one = host([axon as AnyAxon]);
    await one.begin();
    await clock.advance(2 * LEASE_MS);
    await one.leave();

    assert.deepEqual(
      one.left.draining.map(({ version, way }) => [version, way]),
      [
        ["0.1.0", "unfit"],
        ["0.2.0", "migrates"],
        ["0.3.0", "old code"],
      ],
    );
  });

  test("that wait are left unless another living host has their Axon in a version of its own", async () => {
    const { clock, runs, reports, host } = hosts();
    const waiting = (axon: string, version: string, state: string) => ({
      ...{ axon, version, state, count: 3, abandoned: 0 },
    });
    const counts = [
      waiting("sums", "1.0.0", "sleeping"),
      waiting("sums", "0.9.0", "waiting"),
      waiting("gone", "1.0.0", "sleeping"),
      waiting("elsewhere", "1.0.0", "waiting"),
    ];
    const one = host([adding(Object.assign(runs, { counted: () => counts }), [])]);
    const facts = { pid: 1, machine: "m", axons: { elsewhere: "2.0.0" } };
    runs.beat("another", 10 * LEASE_MS, facts);
    await one.begin();
    await clock.advance(2 * LEASE_MS);

    assert.deepEqual(
      reports.filter(({ code }) => code === "RUNS_LEFT").map(({ message }) => message),
      [
        "3 waiting runs of 'sums' 0.9.0 are left: no migration leads from '0.9.0' to '1.0.0': add one, or cancel them",
        "3 sleeping runs of 'gone' 1.0.0 are left: no mounted Axon of that name keeps its runs here: mount it, or let the process that has it resume them",
      ],
    );
    const states = () => one.left.counts.map(({ state, count }) => [state, count]);
    assert.deepEqual(states(), [
      ["sleeping", 3],
      ["unfit", 3],
      ["unfit", 3],
      ["waiting", 3],
    ]);
    runs.beat("newer", 10 * LEASE_MS, { ...facts, axons: { sums: "1.1.0", gone: "1.0.0" } });
    await one.left.count();
    assert.deepEqual(states().flat(), ["sleeping", 3, "waiting", 3, "sleeping", 3, "waiting", 3]);
    await clock.advance(10 * LEASE_MS);
    await one.left.count();
    await one.leave();
    assert.deepEqual(states().at(-1), ["unfit", 3]);
  });

  test("of a service that is gone are reported with its name, and are not in the counts", async () => {
    const { clock, runs, reports, host } = hosts();
    const counts = [
      { axon: "sums", version: "1.0.0", state: "running", count: 3, abandoned: 3, service: "billing" },
    ];
    const one = host([adding(Object.assign(runs, { counted: () => counts }), [])]);
    await one.begin();
    await clock.advance(2 * LEASE_MS);
    await one.leave();

    const [left] = reports.filter(({ code }) => code === "RUNS_LEFT");
    assert.match(
      String(left?.message),
      /^3 abandoned runs of 'sums' 1\.0\.0 are left: no process of service 'billing'/,
    );
    assert.deepEqual(one.left.counts, []);
  });

  test("have the state unfit with the reason, unless another process runs them", async () => {
    const { clock, runs, host } = hosts();
    runs.beat("living", 3_600_000);
    runs.append("old", 0, [beginning("sums", "0.9.0")], "dead");
    runs.append("elsewhere", 0, [beginning("sums", "0.9.0")], "living");
    runs.append("gone", 0, [beginning("gone")], "dead");
    runs.append("node", 0, [{ ...beginning("sums"), node: "sums/gone" } as RunEntry], "dead");
    runs.append("by another", 0, [beginning("sums")], "dead");
    runs.markUnfit("by another", 1, { release: "another", reason: "no" });
    const axon = adding(runs, [], "sums", () => new Promise(() => {}));
    const one = host([axon]);
    const served = new ServedRuns({ axons: [axon.definition] } as never, one);
    assert.deepEqual(await served.result("by another"), { kind: "running", axon: "sums" });
    await one.begin();
    await clock.advance(2 * LEASE_MS);
    const results = await Promise.all(
      ["old", "elsewhere", "gone", "node", "by another"].map((id) => served.result(id)),
    );
    await one.leave();

    assert.deepEqual(
      results.map((result) => [
        result.kind,
        "reason" in result ? /no [a-z]+/.exec(result.reason)?.[0] : undefined,
      ]),
      [
        ["unfit", "no migration"],
        ["running", undefined],
        ["unfit", "no mounted"],
        ["unfit", "no node"],
        ["running", undefined],
      ],
    );
  });
});

describe("migrations of a kept Axon", () => {
  const wrongIn = (from: string, strategy: object): readonly string[] => {
    const migrations = [{ from, strategy }] as never;
    const axon = Axon.start<number>("sums")
      .withVersion("2.0.0")
      .withPersistenceStore(new MemoryRuns(), { migrations })
      .thenFn("add", (n) => n + 1) as AnyAxon;
    return wrongMigrations(axon.definition, () => programOf(axon.definition));
  };
  const old = (name: string, version: string) =>
    Axon.start<number>(name)
      .withVersion(version)
      .withPersistenceStore(new MemoryRuns())
      .thenFn("add", (n) => n);

  test("are refused where they lead to a node that does not exist, with the one that is meant", () => {
    assert.match(
      String(wrongIn("1.0.0", MigrationStrategy.migrateActiveNode("sums/plus", "sums/ad"))),
      /^Axon 'sums': a migration from '1.0.0' leads to the node 'sums\/ad', .*did you mean sums\/add\?$/,
    );
    assert.match(String(wrongIn("1.0.0", MigrationStrategy.fallbackToNode("nowhere"))), /the node 'nowhere'/);
    assert.deepEqual(wrongIn("1.0.0", MigrationStrategy.fallbackToNode("sums/add")), []);
    assert.deepEqual(wrongIn("1.0.0", MigrationStrategy.resumeFromStart()), []);
  });

  test("are refused where they are from their own version, or complete runs by another Axon", () => {
    assert.match(
      String(wrongIn("2.0.0", MigrationStrategy.resumeFromStart())),
      /the version that the Axon has/,
    );
    const completing = (name: string, version: string) =>
      wrongIn("1.0.0", MigrationStrategy.completeOnOldVersion(old(name, version) as never));
    assert.match(String(completing("sums", "1.1.0")), /of version '1.1.0'/);
    assert.match(String(completing("plus", "1.0.0")), /the Axon 'plus'/);
    assert.deepEqual(completing("sums", "1.0.0"), []);
  });
});

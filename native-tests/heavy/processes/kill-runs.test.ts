// Servers that keep runs are killed, halted and cut off from their database, one, two and four at
// one store: `npm run kill-runs` does the same for longer. The judge compares what they did with
// what their store had answered.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { killRuns } from "../../support/kill-runs.js";
import { judge, type LedgerLine } from "../../support/ledger.js";
import { skipWithoutPostgres } from "../../support/postgres-server.js";

const KILLS = 12;
const ROUNDS = 10;
const seed = Math.floor(Math.random() * 1_000_000);

describe("the runs of servers that are killed", () => {
  for (const [store, skip] of [
    ["sqlite", false],
    ["postgres", skipWithoutPostgres],
  ] as const)
    test(`end as they would have, with nothing done again that was kept: ${store}`, { skip }, async () => {
      const report = await killRuns({ store, seed, isEnough: ({ kills }) => kills >= KILLS });

      const told = `seed ${seed}: ${JSON.stringify(report, undefined, 2)}`;
      assert.deepEqual(report.problems, [], told);
      assert.ok(report.kills >= KILLS, told);
      assert.ok(report.takeovers > 0, told);
      assert.ok(report.wakes > 0, told);
    });

  test("are found wanting where a store answers before it has committed", async () => {
    const report = await killRuns({
      ...{ store: "sqlite", seed, fault: "early" },
      isEnough: ({ rounds, redone, forgotten }) => rounds >= ROUNDS || redone + forgotten > 0,
    });

    assert.ok(report.redone + report.forgotten > 0, `seed ${seed}: ${JSON.stringify(report, undefined, 2)}`);
  });
});

describe("the judge of a ledger", () => {
  type Told = LedgerLine extends infer L
    ? L extends unknown
      ? Omit<L, "at" | "run" | "pid">
      : never
    : never;
  const RUN = "k0";
  const by = (pid: number, ...lines: readonly Told[]) =>
    lines.map((line) => ({ ...line, pid, at: 0, run: RUN }) as LedgerLine);
  const kept = (length: number, kind: string, step?: number, isLate = false): Told => ({
    ...{ what: "kept", length, entries: [{ kind, step }], isLate },
  });
  const does = (step: number, epoch = 1, isLate = false): Told => ({ what: "do", step, epoch, isLate });
  const result: Told = { what: "result", result: "completed 15" };
  /** From the step to the end, by one process. */
  const rest = (from: number, epoch = 1): Told[] => [
    ...[1, 2, 3, 4, 5].filter((step) => step >= from).map((step) => does(step, epoch)),
    result,
  ];
  test("tells a cancelled run whose steps are not undone, or twice", () => {
    const undo = (step: number, epoch = 1): Told => ({ what: "undo", step, epoch, isLate: false });
    const begun = [kept(1, "begun", 1), does(1), kept(2, "checkpoint", 2), does(2)];
    const cancelled: Told = { what: "result", result: 'failed {"code":"RUN_CANCELLED"}' };
    const wrongOf = (...undone: readonly Told[]): number =>
      judge(
        by(1, ...begun, kept(3, "failed"), ...undone, cancelled).map((line) => ({ ...line, run: "c0" })),
        ["c0"],
      ).wrong.length;

    // Of the step at work only its process knew.
    assert.deepEqual([wrongOf(undo(2), undo(1)), wrongOf(undo(1))], [0, 0]);
    assert.deepEqual([wrongOf(), wrongOf(undo(2)), wrongOf(undo(1), undo(1))], [1, 1, 1]);
  });

  test("tells a wait that ends twice, a signal that is not taken, and a run begun twice", () => {
    const WAITING = "w0";
    const SUM = 1130;
    const waiting = (length: number, step: number): Told => ({
      ...{ what: "kept", length, entries: [{ kind: "waiting", step, isForSignals: true }], isLate: false },
    });
    const woken = (length: number, step: number, by: "time" | number): Told => ({
      ...{ what: "kept", length, entries: [{ kind: "resumed", step, woken: by }], isLate: false },
    });
    const signalled = (id: string): Told => ({ what: "signalled", id, as: "kept" });
    const found = (...told: readonly LedgerLine[]) => {
      const { woken, unheard, doubled, lost, stolen, wakes } = judge(told, [WAITING]);
      return [woken.length, unheard.length, doubled.length, lost.length, stolen.length, wakes];
    };
    const waits = (...lines: readonly Told[]) => by(1, ...lines).map((line) => ({ ...line, run: WAITING }));
    const ends = (from: number, epoch: number): Told[] => [
      ...rest(from, epoch).slice(0, -1),
      { what: "result", result: `completed ${SUM}` },
    ];
    const child = (run: string) =>
      by(1, kept(1, "begun", 1), ...rest(1)).map((line) => ({ ...line, run: run }));
    const begun = [kept(1, "begun", 1), does(1), waiting(2, 2), signalled("a")];

    assert.deepEqual(found(...waits(...begun, woken(3, 2, 1), ...ends(2, 2))), [0, 0, 0, 0, 0, 1]);
    assert.deepEqual(
      found(...waits(...begun, woken(3, 2, 1), woken(4, 2, 1), ...ends(2, 3))),
      [1, 0, 0, 0, 0, 2],
    );
    // The second wait takes the signal of the first.
    const again = [...begun, woken(3, 2, 1), does(2, 2), waiting(4, 3), woken(5, 3, 1), ...ends(3, 3)];
    assert.deepEqual(found(...waits(...again)), [1, 0, 0, 0, 0, 2]);
    // A step in front of the wait.
    assert.deepEqual(
      found(...waits(...begun, woken(3, 2, 1), does(1, 2), ...ends(2, 2))),
      [1, 0, 0, 0, 0, 1],
    );
    // No process has it.
    assert.deepEqual(found(...waits(...begun, does(2), woken(3, 2, 1), ...ends(2, 2))), [0, 0, 0, 0, 1, 1]);
    assert.deepEqual(found(...waits(...begun)), [0, 1, 0, 1, 0, 0]);
    assert.deepEqual(found(...waits(...begun.slice(0, 3))), [0, 0, 0, 1, 0, 0]);
    const good = waits(...begun, woken(3, 2, 1), ...ends(2, 2));
    assert.deepEqual(found(...good, ...child("one")), [0, 0, 0, 0, 0, 1]);
    assert.deepEqual(found(...good, ...child("one"), ...child("two")), [0, 0, 1, 0, 0, 1]);
  });

  const first = by(1, kept(1, "begun", 1), does(1), kept(2, "checkpoint", 2), does(2));

  for (const [name, lines, found] of [
    ["a run of one process", by(1, kept(1, "begun", 1), ...rest(1)), {}],
    [
      "a run that another process resumed",
      [...first, ...by(2, kept(3, "resumed", 2), ...rest(2, 2))],
      { takeovers: 1, repeats: 1 },
    ],
    [
      "a step that was kept and is done again",
      [...first, ...by(2, kept(3, "resumed", 2), does(1, 2), ...rest(2, 2))],
      { takeovers: 1, redone: 1, wrong: 1 },
    ],
    [
      "an answered append that is gone",
      [...first, ...by(2, kept(2, "resumed", 1), ...rest(2, 2))],
      { takeovers: 1, repeats: 1, forgotten: 1 },
    ],
    [
      "what a halted process does when it awakes",
      [...first, ...by(2, kept(3, "resumed", 2)), ...by(1, does(2, 1, true)), ...by(2, ...rest(2, 2))],
      { takeovers: 1, repeats: 1, zombies: 1 },
    ],
    [
      "what a process does that lives and has lost its run",
      [...first, ...by(2, kept(3, "resumed", 2)), ...by(1, does(2)), ...by(2, ...rest(2, 2))],
      { takeovers: 1, repeats: 1, stolen: 1 },
    ],
    ["a step that is done twice in one process", [...first, ...by(1, ...rest(2))], { wrong: 1 }],
    ["a run without an end", first, { lost: 1, wrong: 1 }],
    [
      "a location of no run",
      [
        ...by(1, kept(1, "begun", 1), ...rest(1)),
        ...by(1, { what: "answered", key: "q", says: "no run at /runs/1: 404" }),
      ],
      { wrong: 1 },
    ],
    [
      "a key whose other body is taken",
      [
        ...by(1, kept(1, "begun", 1), ...rest(1)),
        ...by(1, { what: "answered", key: "q", says: "other 200" }),
      ],
      { wrong: 1 },
    ],
    [
      "a lock that two processes hold",
      [
        ...by(1, kept(1, "begun", 1), ...rest(1), { what: "locked", token: 1 }),
        ...by(2, { what: "locked", token: 1 }),
      ],
      { wrong: 1 },
    ],
    ["steps in another order", by(1, kept(1, "begun", 1), does(2), ...rest(1)), { wrong: 1 }],
  ] as const)
    test(`tells ${name}`, () => {
      const { repeats, zombies, takeovers, cancelled: _, wakes: __, ...lists } = judge(lines, [RUN]);
      const counts = Object.entries(lists).map(([of, told]) => [of, told.length] as const);

      const all = Object.fromEntries([...counts, ...Object.entries({ repeats, zombies, takeovers })]);
      const none = {
        lost: 0,
        wrong: 0,
        redone: 0,
        forgotten: 0,
        stolen: 0,
        woken: 0,
        unheard: 0,
        doubled: 0,
        repeats: 0,
        zombies: 0,
        takeovers: 0,
      };
      assert.deepEqual(all, { ...none, ...found });
    });
});

// What a store answers is from outside. Whatever it is, resuming a run ends in an answer that
// says so, and no step that the run has completed runs again.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import {
  Axon,
  Bus,
  type Fault,
  FrameworkError,
  fault,
  isFault,
  MemoryRuns,
  RunId,
  transition,
} from "framework";
import type { RunEntry } from "#core/ports/run-store.js";
import { taken } from "../support/kept-runs.js";

const codeOf = (outcome: unknown): unknown =>
  isFault(outcome) ? (outcome as Fault<{ readonly code?: string }>).error?.code : undefined;

const calls: string[] = [];
const called = (name: string, n = 0): number => {
  calls.push(name);
  return n;
};
const runs = new MemoryRuns();
const steps = (name: string) =>
  Axon.start<number>(name)
    .withPersistenceStore(runs)
    .thenCompensated({ name: "reserve", run: (n: number) => called("reserve", n) }, () => called("release"))
    .thenCompensated({ name: "pay", run: (n: number) => called("pay", n) }, () => called("refund"))
    .then(transition({ name: "note", run: (n: number) => n }));
const axons = {
  going: steps("going").thenFn("ship", (n) => called("ship", n)),
  failing: steps("failing").thenFn("refuse", () => fault("no")),
};

/** What is left of a run that was stopped in its last step, and of one that was about to be undone. */
const logs = Object.fromEntries(
  Object.entries(axons).map(([id, axon]) => {
    axon.execute(1, Bus.of([[RunId, id]]));
    const whole = runs.read(id);
    return [
      id,
      whole.slice(0, whole.findLastIndex(({ kind }) => kind === "checkpoint" || kind === "failed") + 1),
    ];
  }),
) as unknown as Record<keyof typeof axons, readonly RunEntry[]>;

const resumed = async (id: keyof typeof axons, read: () => unknown): Promise<unknown> => {
  calls.length = 0;
  const store = { ...runs, read: read as () => readonly RunEntry[], append: () => true };
  return taken(axons[id].withPersistenceStore(store), id);
};

/** What nobody has written there. */
const WRONG: readonly unknown[] = [
  undefined,
  null,
  true,
  -1,
  0.5,
  Number.NaN,
  "nowhere",
  [],
  [null],
  {},
  { $: 1 },
  { $: ["moon", 1] },
  { $: ["map", [1]] },
  { $: ["date", "x"] },
  () => {},
  Symbol("s"),
  1n,
  JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`),
];

/** Every place in a value, as the way there. */
function placesIn(value: unknown): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [[]];
  return [
    [],
    ...Object.entries(value).flatMap(([name, of]) => placesIn(of).map((place) => [name, ...place])),
  ];
}

/** The same with another value there; undefined takes what is there away. */
function withAt(value: unknown, [name, ...rest]: readonly string[], other: unknown): unknown {
  if (name === undefined) return other;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return value;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  if (rest.length === 0 && other === undefined) Reflect.deleteProperty(copy, name);
  else copy[name] = withAt(copy[name], rest, other);
  return copy;
}

describe("a log that is damaged", () => {
  for (const id of ["going", "failing"] as const)
    test(`is answered with what is wrong, and no step runs that was completed: ${id}`, async () => {
      const seen = { failed: 0, other: 0 };
      const damage = fc.record({
        at: fc.constantFrom(...placesIn(logs[id])),
        wrong: fc.nat(WRONG.length - 1),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 2 }), async (damages) => {
          const damaged = damages.reduce<unknown>(
            (log, { at, wrong }) => withAt(log, at, WRONG[wrong]),
            logs[id],
          );
          let outcome: unknown;
          try {
            outcome = await resumed(id, () => damaged);
          } catch (error) {
            assert.ok(error instanceof FrameworkError, String(error));
          }
          assert.deepEqual(
            calls.filter((call) => call === "reserve" || call === "pay"),
            [],
          );
          if (codeOf(outcome) === "CHECKPOINT_FAILED") {
            assert.deepEqual(calls, []);
            seen.failed += 1;
          } else seen.other += 1;
        }),
        { numRuns: 300 },
      );
      assert.ok(seen.failed > 75 && seen.other > 10, JSON.stringify(seen));
    });

  test("is named by its entry and what is wrong with that", async () => {
    const [begun, ...rest] = logs.going;
    const cause = async (log: readonly unknown[]): Promise<string> => {
      const outcome = await resumed("going", () => log);
      assert.equal(codeOf(outcome), "CHECKPOINT_FAILED");
      return String((outcome as Fault<{ readonly cause: unknown }>).error.cause);
    };

    assert.match(
      await cause([begun, { ...rest[0], jumps: "1" }]),
      /Entry 2 .* 'checkpoint', and its 'jumps'/,
    );
    assert.match(await cause([begun, null]), /Entry 2 of the log is of no kind/);
    assert.match(
      await cause([...logs.failing, { kind: "undone", at: 1, left: 3 }]),
      /cannot follow .* 'undone'/,
    );
    assert.match(await cause([...logs.failing, ...rest]), /cannot follow .* 'checkpoint'/);
    assert.match(await cause([begun, { kind: "ended", at: 1 }, ...rest]), /Entry 3 .* cannot follow/);
    const stuck = { kind: "stuck", at: 1 };
    assert.match(await cause([begun, stuck, ...rest]), /Entry 3 .* cannot follow .* 'checkpoint'/);
    assert.match(await cause([begun, stuck, stuck]), /Entry 3 .* cannot follow .* 'stuck'/);
    assert.match(await cause({ length: 1 } as never), /no list/);
  });

  test("that is none the less one goes on as it says", async () => {
    assert.equal(await resumed("going", () => logs.going), 1);
    assert.deepEqual(calls, ["ship"]);
    assert.equal(codeOf(await resumed("failing", () => logs.failing)), undefined);
    assert.deepEqual(calls, ["refund", "release"]);
  });
});

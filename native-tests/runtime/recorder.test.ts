import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  branch,
  busKey,
  emit,
  eventKind,
  fault,
  isFault,
  jump,
  type Recorder,
  type Report,
  transition,
} from "framework";
import { RetryPolicy } from "framework/runtime";
import { isEmit } from "#core/bus/outcome.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { Program, type ProgramOptions } from "#runtime/compile/program.js";
import { RunControl } from "#runtime/run/run-control.js";
import { generators } from "../support/code-generation.js";

const Told = eventKind<number>()("told");
const Plan = busKey<string>()("Plan");
const Seat = busKey<number>()("Seat");

const traced = (axon: AnyAxon, recorder: Recorder, options: ProgramOptions = {}) => {
  const program = new Program(axon.definition, { recorder, reporter: () => {}, ...options });
  program.watch?.watch({ kind: "all" });
  return { program, run: (input?: unknown): unknown => program.run(input, program.acquire()) };
};

/** An answer in a few words. */
const shown = (answer: unknown): unknown => {
  if (isFault(answer)) {
    const error = answer.error as { readonly code?: string; readonly step?: string };
    return `fault ${error.code ?? String(answer.error)} ${error.step ?? ""}`.trim();
  }
  if (isEmit(answer)) return `emit ${answer.event.name} ${shown(answer.value)}`;
  return typeof answer === "object" && answer !== null && "kind" in answer ? `${answer.kind}` : answer;
};

describe("afterNode", () => {
  const answersOf = async (axon: AnyAxon, input: unknown): Promise<string[]> => {
    const told: string[] = [];
    const { run } = traced(axon, {
      afterNode: (_run, node, outcome) => told.push(`${node}: ${shown(outcome)}`),
    });
    await run(input);
    return told;
  };

  test("is told what each node answered, at once or later", async () => {
    const axon = Axon.start<number>("a")
      .label("again")
      .thenFn("check", (n) => (n < 5 ? jump("again", 5) : n), { jumps: ["again"] })
      .thenFn("rate", (n) => branch("vip", n), { branches: ["vip"] })
      .branch(
        "vip",
        Axon.start<number>("vip").thenFn("thank", (n) => n + 1),
      )
      .thenFn("tell", (n) => emit(Told, n, n), { emits: [Told] })
      .thenFn("later", (n) => emit(Told, n, Promise.resolve(n * 2)), { emits: [Told] })
      .thenFn("wait", async () => 13);

    assert.deepEqual(await answersOf(axon, 1), [
      "a/check: jump",
      "a/check: 5",
      "a/rate: branch",
      "a/rate:vip/thank: 6",
      "a/tell: emit told 6",
      "a/later: emit told 12",
      "a/wait: 13",
    ]);
  });

  test("is told of faults, also of a step that throws or rejects, and of what stands around them", async () => {
    const failing = (run: () => unknown) =>
      Axon.start("a").then(
        Axon.start("in")
          .thenFn("x", run as () => number)
          .asTransition(),
      );

    assert.deepEqual(
      await answersOf(
        failing(() => fault("no")),
        undefined,
      ),
      ["a/in/x: fault no", "a/in: fault no"],
    );
    const panic = "fault TRANSITION_PANIC x";
    for (const run of [
      () => {
        throw new Error("boom");
      },
      () => Promise.reject(new Error("boom")),
    ])
      assert.deepEqual(await answersOf(failing(run), undefined), [`a/in/x: ${panic}`, `a/in: ${panic}`]);
  });

  test("comes once for each time that a node is left, and behind the event of it", async () => {
    const log: string[] = [];
    const { program } = traced(
      Axon.start("a")
        .parallel(
          [
            transition({ name: "quick", run: () => 1 }),
            transition({ name: "hang", run: () => new Promise<number>(() => {}) }),
          ],
          "AllMustSucceed",
          ([one]) => one,
        )
        .thenFn("never", (n) => n),
      {
        event: (_run, { kind, node }) => log.push(`${kind} ${node}`),
        afterNode: (_run, node, outcome) => log.push(`after ${node} ${shown(outcome)}`),
      },
    );
    const state = program.acquire();
    state.control = new RunControl();
    const running = program.run(undefined, state);
    state.control.abort(new Error("enough"));
    await running;

    const left = log.filter((line) => !line.startsWith("node_enter"));
    assert.equal(left.length, 6);
    for (let i = 0; i < left.length; i += 2)
      assert.equal(left[i + 1]?.split(" ")[1], left[i]?.split(" ")[1], left.join(", "));
    assert.match(left.join("\n"), /after \S+ fault RUN_ABORTED/);
  });
});

describe("busAccess", () => {
  for (const [production, generate] of [true, false].flatMap((one) => generators.map((two) => [one, two])))
    test(`is told what each node reads, writes and deletes, ${production ? "in production" : "checked"}, ${generate ? "generated" : "looped"}`, async () => {
      const axon = Axon.start("a")
        .thenFn(
          "write",
          (_, bus) => {
            bus.set(Plan, "gold");
            bus.set(Seat, 3);
          },
          { writes: [Plan, Seat] },
        )
        .thenFn(
          "read",
          async (_, bus) => {
            bus.has(Plan);
            await Promise.resolve();
            return [bus.get(Plan), bus.find(Seat)];
          },
          { reads: [Plan, Seat] },
        )
        .thenFn("drop", (_, bus) => bus.delete(Seat), { deletes: [Seat] })
        .thenFn("look", (_, bus) => bus.find(Seat), { mayRead: [Seat] });
      const told: string[] = [];
      const { run } = traced(
        axon,
        {
          busAccess: (_run, node, access, key, value) => told.push(`${node} ${access} ${key} ${value}`),
        },
        { production: production as boolean, generate: generate as boolean },
      );
      await run();

      assert.deepEqual(told, [
        "a/write write Plan gold",
        "a/write write Seat 3",
        "a/read read Plan gold",
        "a/read read Seat 3",
        "a/drop delete Seat undefined",
        "a/look read Seat undefined",
      ]);
    });

  test("names the node also where several run at once, and where one is tried again", async () => {
    const reader = (name: string, fails: boolean) => {
      let tries = 0;
      return transition({
        name,
        reads: [Plan],
        run: async (_: unknown, bus) => {
          tries += 1;
          const plan = bus.get(Plan);
          if (fails && tries === 1) return fault("once");
          return plan;
        },
      });
    };
    const axon = Axon.start("a")
      .thenFn("write", (_, bus) => bus.set(Plan, "gold"), { writes: [Plan] })
      .parallel([reader("one", false), reader("two", false)], "AllMustSucceed", (all) => all)
      .thenWithRetry(reader("again", true), RetryPolicy.fixed(1, 0));
    const told: string[] = [];
    const { run } = traced(axon, {
      busAccess: (_run, node, access) => told.push(`${node.split("/").at(-1)} ${access}`),
    });
    await run();

    assert.deepEqual(told.sort(), ["again read", "again read", "one read", "two read", "write write"]);
  });

  test("is not told of what a step does on its Bus behind the run, which refuses it", async () => {
    const kept: { read?: () => unknown } = {};
    const told: string[] = [];
    const axon = Axon.start("a").thenFn(
      "keep",
      (_, bus) => {
        bus.set(Plan, "gold");
        kept.read = () => bus.find(Plan);
      },
      { writes: [Plan] },
    );
    const { run } = traced(
      axon,
      { busAccess: (_run, _node, access) => told.push(access) },
      { production: true, ownBus: true },
    );
    run();

    assert.throws(() => kept.read?.(), { code: "BUS_RELEASED" });
    assert.deepEqual(told, ["write"]);
  });

  test("is not told of it where the Bus still answers, because the run had to wait", async () => {
    const kept: { read?: () => unknown } = {};
    const told: string[] = [];
    const axon = Axon.start("a").thenFn(
      "keep",
      async (_, bus) => {
        bus.set(Plan, "gold");
        kept.read = () => bus.find(Plan);
      },
      { writes: [Plan] },
    );
    const { run } = traced(
      axon,
      { busAccess: (_run, _node, access) => told.push(access) },
      { production: true },
    );
    await run();

    assert.equal(kept.read?.(), "gold");
    assert.deepEqual(told, ["write"]);
  });
});

describe("a traced run", () => {
  test("has an id that no other run of this or another process has, made when it is asked for", () => {
    const ids: string[] = [];
    const { run } = traced(
      Axon.start("a").thenFn("x", () => 1),
      { ended: (told) => ids.push(told.runId, told.runId) },
    );
    run();
    run();

    assert.deepEqual([ids[0], ids[2]], [ids[1], ids[3]]);
    assert.notEqual(ids[0], ids[2]);
    for (const id of ids) assert.match(id, /^[0-9a-f]{10}-[0-9a-z]+$/);
  });

  test("has no request where it runs in process", () => {
    const seen: unknown[] = [];
    const { run } = traced(
      Axon.start("a").thenFn("x", () => 1),
      { ended: ({ request }) => seen.push(request), answered: () => seen.push("answered") },
    );
    run();

    assert.deepEqual(seen, [undefined]);
  });

  test("goes on whatever its recorder throws or rejects with, which is reported", async () => {
    const reports: Report[] = [];
    const axon = Axon.start("a").thenFn("x", (_, bus) => bus.set(Plan, "gold"), { writes: [Plan] });
    const fail = (): never => {
      throw new Error("mine");
    };
    const reject = (): never => Promise.reject(new Error("mine")) as never;
    for (const call of ["afterNode", "busAccess"] as const)
      for (const failing of [fail, reject]) {
        const { run } = traced(
          axon,
          { [call]: failing },
          { reporter: (report) => reports.push(report), production: true },
        );
        assert.equal(run(), undefined);
      }
    await new Promise((resolve) => setImmediate(resolve));

    assert.deepEqual(
      reports.map(({ code, message }) => `${code} ${message.split(" ")[2]}`).sort(),
      ["afterNode", "afterNode", "busAccess", "busAccess"].map((call) => `RECORDER_FAILED ${call}`),
    );
  });
});

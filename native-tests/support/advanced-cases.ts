// Axons of each kind, to be advanced entry by entry.

import { Type } from "@sinclair/typebox";

import { Bus } from "#core/bus/bus.js";
import { busKey } from "#core/bus/bus-key.js";
import { branch, fault, jump } from "#core/bus/outcome.js";
import { transition } from "#core/flow/transition.js";
import { RunEpoch, RunId } from "#core/ports/run-store.js";
import { Axon } from "#runtime/axon/axon.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { RetryPolicy } from "#runtime/definition/retry-policy.js";
import { signal } from "#runtime/definition/signal.js";
import type { MemoryRuns } from "#runtime/kept/memory-runs.js";
import type { AdvancedCase } from "./advanced-runs.js";

export const Go = signal<{ readonly by: string }>()("go", Type.Object({ by: Type.String() }));
const Stop = signal<string>()("stop", Type.String());
const Total = busKey<number>()("Total");
export const Rate = busKey<number>()("Rate");

export const started = (runs: MemoryRuns) => Axon.start<number>("s").withPersistenceStore(runs);
export const adds = (calls: string[], name: string) =>
  transition({
    name,
    run: (n: number) => {
      calls.push(name);
      return Promise.resolve(n + 1);
    },
  });
export const undoes = (calls: string[], name: string) => () => void calls.push(`undo ${name}`);
export const any = (axon: unknown): AnyAxon => axon as AnyAxon;

/** By what their Axon does. */
export const cases: Readonly<Record<string, AdvancedCase>> = {
  "has steps that use the Bus, of the run and from outside": {
    input: 1,
    bus: Bus.of([[Rate, 3]]),
    axon: (runs, calls) =>
      any(
        started(runs)
          .then(adds(calls, "a"))
          .thenFn(
            "total",
            (n, bus) => {
              bus.set(Total, n * bus.get(Rate));
              return n;
            },
            { reads: [Rate], writes: [Total] },
          )
          .then(adds(calls, "b"))
          .thenFn("end", (n, bus) => [n, bus.get(Total), bus.get(RunId), bus.get(RunEpoch)], {
            reads: [Total, RunId, RunEpoch],
          }),
      ),
  },
  "takes a branch": {
    input: 5,
    axon: (runs, calls) =>
      any(
        started(runs)
          .thenFn("rate", (n) => (n > 1 ? branch("vip", n) : n), { branches: ["vip"] })
          .branch("vip", Axon.start<number>("vip").then(adds(calls, "x")).then(adds(calls, "y")))
          .then(adds(calls, "end")),
      ),
  },
  jumps: {
    input: 0,
    axon: (runs, calls) =>
      any(
        started(runs)
          .label("again")
          .then(adds(calls, "add"))
          .thenFn("check", (n) => (n < 3 ? jump("again", n) : n), { jumps: ["again"] })
          .then(adds(calls, "end")),
      ),
  },
  "has subgraphs and parallel steps, with effects in them": {
    input: 0,
    axon: (runs, calls) => {
      const effect = transition({
        name: "charge",
        effect: true,
        run: (n: number) => {
          calls.push("charge");
          return n + 10;
        },
      });
      const inner = Axon.start<number>("inner").then(adds(calls, "i")).then(adds(calls, "j"));
      return any(
        started(runs)
          .subgraph(inner)
          .parallel([adds(calls, "l"), effect] as const, "AllMustSucceed", ([l, r]) => l + r)
          .then(adds(calls, "end")),
      );
    },
  },
  "retries a step": {
    input: 0,
    axon: (runs, calls) =>
      any(
        started(runs)
          .then(adds(calls, "a"))
          .thenWithRetry(
            transition({
              name: "flaky",
              run: (n: number) => {
                calls.push("flaky");
                return calls.filter((call) => call === "flaky").length % 3 === 0 ? n : fault("again");
              },
            }),
            RetryPolicy.fixed(2, 0),
          )
          .then(adds(calls, "end")),
      ),
  },
  "fails and is undone, a compensation for each entry": {
    input: 0,
    axon: (runs, calls) =>
      any(
        started(runs)
          .thenCompensated(adds(calls, "a"), undoes(calls, "a"))
          .thenCompensated(adds(calls, "b"), undoes(calls, "b"))
          .parallel([adds(calls, "l"), adds(calls, "r")] as const, "AllMustSucceed", ([l, r]) => l + r)
          .compensateWith(undoes(calls, "both"))
          .thenFn("fail", (n) => fault({ kind: "declined", n })),
      ),
  },
  "fails with nothing to undo": {
    input: 0,
    axon: (runs, calls) =>
      any(
        started(runs)
          .then(adds(calls, "a"))
          .thenFn("fail", () => fault("no")),
      ),
  },
  panics: {
    input: 0,
    axon: (runs, calls) =>
      any(
        started(runs)
          .thenCompensated(adds(calls, "a"), undoes(calls, "a"))
          .thenFn("throw", (): number => {
            throw new Error("broken");
          }),
      ),
  },
  "has a value that no log can keep": {
    input: 0,
    axon: (runs, calls) =>
      any(
        started(runs)
          .thenCompensated(adds(calls, "a"), undoes(calls, "a"))
          .thenFn("odd", (n) => ({ call: () => n }))
          .thenFn("end", (x) => x),
      ),
  },
  "has an input that its schema refuses": {
    input: "x",
    axon: (runs, calls) =>
      any(Axon.start("s", Type.Number()).withPersistenceStore(runs).then(adds(calls, "a"))),
  },
  "keeps checkpoints of no step": {
    input: 0,
    axon: (runs, calls) =>
      any(
        Axon.start<number>("s")
          .withPersistenceStore(runs, { checkpoint: "none" })
          .then(adds(calls, "a"))
          .then(adds(calls, "b")),
      ),
  },
  "has labels and a subject": {
    input: 0,
    axon: (runs, calls) =>
      any(
        started(runs)
          .withLabels({ order: Type.String({ maxLength: 10 }) })
          .withSubject((n) => `person ${n}`)
          .then(adds(calls, "a"))
          .thenFn(
            "label",
            (n, bus) => {
              bus.label("order", "o1");
              return n;
            },
            { labels: ["order"] },
          )
          .then(adds(calls, "end")),
      ),
  },
  "sleeps, for a time and until one": {
    input: 0,
    woken: [{ by: "time" }, { by: "time" }],
    axon: (runs, calls) =>
      any(
        started(runs)
          .then(adds(calls, "a"))
          .sleep("nap", 60_000)
          .then(adds(calls, "b"))
          .sleep("night", () => new Date(4_000_000_000_000))
          .thenFn("end", (n, bus) => [n, bus.get(RunEpoch)], { reads: [RunEpoch] }),
      ),
  },
  "waits for signals, one of several and one that does not come": {
    input: 0,
    woken: [
      { by: "signal", name: "go", payload: { by: "ann" } },
      { by: "signal", name: "stop", payload: "now" },
      { by: "time" },
    ],
    axon: (runs, calls) =>
      any(
        started(runs)
          .waitFor(Go, { take: (n, { by }) => `${n} ${by}` })
          .waitForAny([Go, Stop], { take: (text, came) => `${text} ${came.signal}` })
          .waitFor(Go, { timeoutMs: 1000, onTimeout: "late", take: (text) => text })
          .branch(
            "late",
            Axon.start<string>("late").thenFn("note", (text) => {
              calls.push("late");
              return text;
            }),
          )
          .thenFn("end", (text) => `${text}!`),
      ),
  },
  "waits first, and fails behind the wait": {
    input: 0,
    woken: [{ by: "signal", name: "stop", payload: "now" }],
    axon: (runs, calls) =>
      any(
        started(runs)
          .thenCompensated(adds(calls, "a"), undoes(calls, "a"))
          .waitFor(Stop)
          .thenFn("fail", (why) => fault(why)),
      ),
  },
  "goes on in a new log": {
    input: 0,
    woken: [{ by: "time" }, { by: "time" }, { by: "time" }],
    axon: (runs, calls) =>
      any(
        started(runs)
          .then(adds(calls, "a"))
          .sleep("nap", 5)
          .thenFn("more", (n) => (n < 3 ? branch("more", n) : n), { branches: ["more"] })
          .branch(
            "more",
            Axon.start<number>("more").continueAs<number>((n) => n),
          )
          .thenFn("end", (n, bus) => [n, bus.get(RunEpoch)], { reads: [RunEpoch] }),
      ),
  },
};

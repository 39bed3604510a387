// A server of runs that wait, for a driver that halts it, kills it and shifts its clock. It writes a
// line into a file for each step behind a wait, and answers calls of the driver.
//   STORE: URL. DONE: file. AXONS: the names of those that it serves. CLOCK_MS: how far its clock is off.

import { appendFileSync } from "node:fs";
import { Type } from "@sinclair/typebox";
import { Axon, Framework, isFault, openStores, RunId, Stores, signal } from "framework";
import { shiftClock } from "./shifted-clock.js";

const { STORE = "", DONE = "", AXONS = "sleeps,naps,hears", LEASE_MS = "1000" } = process.env;

process.on("disconnect", () => process.exit(3));

const uses = { runId: RunId };
const done = (value: number, { runId }: { readonly runId: string }): number => {
  // By the clock of the machine, which is the store's.
  appendFileSync(DONE, `${runId} ${Math.round(performance.timeOrigin + performance.now())}\n`);
  return value;
};
/** The input is the number of milliseconds, or a time of the store's clock. */
const sleeps = Axon.start("sleeps", Type.Number())
  .withPersistenceStore(Stores.mounted)
  .sleep("until", (due) => new Date(due))
  .thenFn("done", { uses }, done);
const naps = Axon.start("naps", Type.Number())
  .withPersistenceStore(Stores.mounted)
  .sleep("nap", 400)
  .thenFn("done", { uses }, done);
const Go = signal<number>()("go", Type.Number());
const hears = Axon.start("hears", Type.Number())
  .withPersistenceStore(Stores.mounted)
  .waitFor(Go)
  .thenFn("done", { uses }, done);
const all = [sleeps, naps, hears];
const other = Axon.start("other", Type.Number())
  .withPersistenceStore(Stores.mounted)
  .thenFn("add", (n) => n + 1);

const stores = openStores(STORE);
/** Calls of the store, by their names. */
const counts: Record<string, number> = {};
const counted = <T extends object>(of: T): T =>
  Object.fromEntries(
    Object.entries(of).map(([name, call]) =>
      typeof call === "function"
        ? [
            name,
            (...args: unknown[]) => {
              counts[name] = (counts[name] ?? 0) + 1;
              return Reflect.apply(call, of, args);
            },
          ]
        : [name, typeof call === "object" && call !== null ? counted(call) : call],
    ),
  ) as T;

const served = AXONS.split(",");
const http = Framework.http()
  .runStatus("/runs/:run_id")
  .stores({ ...stores, runs: counted({ ...stores.runs }) }, { leaseMs: Number(LEASE_MS) });
const server = await all
  .filter(({ name }) => served.includes(name))
  .reduce(
    (ingress, axon) => ingress.post(`/${axon.name}`, axon, { detached: true }),
    http.post("/other", other),
  )
  .bind("127.0.0.1:0")
  .run();

const calls = {
  async begin(axon: string, input: number, ids: readonly string[]): Promise<readonly string[]> {
    const of = all.find(({ name }) => name === axon) ?? sleeps;
    return Promise.all(ids.map(async (runId) => (await server.runs.start(of, input, { runId })).kind));
  },
  async signal(id: string): Promise<string> {
    const sent = await server.runs.signal(id, Go, 1, { id: "once" });
    return isFault(sent) ? "not recorded" : sent.kind;
  },
  result: (id: string) => server.runs.result(id),
  clock: (ms: number) => shiftClock(ms),
  counts: () => counts,
  close: () => server.close(),
};
export type WaitingCalls = typeof calls;

interface Called {
  readonly n: number;
  readonly call: keyof WaitingCalls;
  readonly args: never[];
}
process.on("message", async ({ n, call, args }: Called) => {
  try {
    process.send?.({ n, value: await Reflect.apply(calls[call], undefined, args) });
  } catch (error) {
    process.send?.({ n, error: String(error) });
  }
});
process.send?.({ n: 0 });

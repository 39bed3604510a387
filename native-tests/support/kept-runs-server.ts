// A server that keeps runs, to be killed: it begins runs of three Axons, takes over what others left,
// and writes what it does into the ledger. It ends once no run is unfinished.
//   STORE: URL. LEDGER: file. RUNS, KEYS, CANCELS, WAITS: how many it begins itself, by requests with a
//   key, cancels, and sends signals to.
//   KILL_AT: "point:n", where it kills itself the nth time. KILL_AFTER_US: so long after the point, for one inside a commit. FAULT=early: a planted fault.

import { openSync, writeSync } from "node:fs";

import { Type } from "@sinclair/typebox";
import {
  Axon,
  type BusView,
  Framework,
  fault,
  isFault,
  openStores,
  RunEpoch,
  RunId,
  Stores,
  signal,
  transition,
} from "framework";
import { IdempotencyGuard } from "framework/std";
import type { RunEntry, RunStore } from "#core/ports/run-store.js";
import { sendKeyed } from "./keyed-client.js";
import {
  childRuns,
  isGood,
  type KeptEntry,
  keyedRuns,
  type LedgerLine,
  readLedger,
  SIGNALS,
} from "./ledger.js";

const { STORE = "", LEDGER = "", RUNS = "0", KEYS = "0", CANCELS = "0", WAITS = "0" } = process.env;
const { KILL_AT = "", KILL_AFTER_US = "0", FAULT = "" } = process.env;
const LEASE_MS = Number(process.env["LEASE_MS"]);
/** Runs of its own that it has at work at once. */
const AT_ONCE = 6;
const STEP_MS = 4;
const NAP_MS = 30;
const NOT_STARTED = 4;

// It ends with the process that started it.
process.on("disconnect", () => process.exit(3));

const [point, nth] = KILL_AT.split(":");
let passed = 0;
const isDue = (name: string): boolean => name === point && ++passed === Number(nth);
const die = (): void => void process.kill(process.pid, "SIGKILL");
const pass = (name: string): void => {
  if (isDue(name)) die();
};
/** The writer has the append when the loop has turned twice. */
const dieInCommit = (): void =>
  void setImmediate(() =>
    setImmediate(() => {
      const end = process.hrtime.bigint() + BigInt(KILL_AFTER_US) * 1000n;
      while (process.hrtime.bigint() < end);
      die();
    }),
  );

const ledger = openSync(LEDGER, "a");
// One write, so that lines of several processes stay whole.
const tell = (line: Untold<LedgerLine>): void =>
  void writeSync(ledger, `${JSON.stringify({ ...line, pid: process.pid, at: Date.now() })}\n`);
type Untold<L> = L extends unknown ? Omit<L, "pid" | "at"> : never;

// The start of the newest beat, how often the lease was over, and how often when a run was claimed.
let beatAt = performance.now();
let lapses = 0;
const lapsesAtClaim = new Map<string, number>();
const isLate = (run: string): boolean =>
  performance.now() - beatAt > LEASE_MS || lapses > (lapsesAtClaim.get(run) ?? lapses);

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const told = (
  what: "do" | "undo",
  step: number,
  bus: BusView<typeof RunId | typeof RunEpoch, never>,
): void => {
  const run = bus.get(RunId);
  tell({ what, step, run, epoch: bus.get(RunEpoch), isLate: isLate(run) });
};

const reads = [RunId, RunEpoch] as const;
const step = (number: number) =>
  transition({
    name: `s${number}`,
    reads,
    run: async (sum: number, bus) => {
      pass("step.before");
      await pause(Math.random() * STEP_MS);
      told("do", number, bus);
      pass("step.after");
      return sum + number;
    },
  });
const undo = (number: number) =>
  transition({
    name: `u${number}`,
    reads,
    run: async (_: unknown, bus) => {
      pass("undo.before");
      await pause(Math.random() * STEP_MS);
      told("undo", number, bus);
      pass("undo.after");
    },
  });
const line = (name: string) =>
  Axon.start(name, Type.Number())
    .withPersistenceStore(Stores.mounted)
    .thenCompensated(step(1), undo(1))
    .thenCompensated(step(2), undo(2))
    .then(step(3))
    .thenCompensated(step(4), undo(4));
const good = line("good").then(step(5));
const bad = line("bad").thenFn(
  "s5",
  async (_, bus): Promise<number | ReturnType<typeof fault<"bad">>> => {
    await pause(Math.random() * STEP_MS);
    told("do", 5, bus);
    return fault("bad");
  },
  { reads },
);

const Go = signal<number>()("go", Type.Number());
// The last letters of a node's name are the step ahead of it.
const waits = Axon.start("waits", Type.Number())
  .withPersistenceStore(Stores.mounted)
  .then(step(1))
  .sleep("sleep-s2", NAP_MS)
  .then(step(2))
  .waitFor(Go, { name: "first-s3", take: (sum, payload) => sum + payload })
  .then(step(3))
  .startRun(good, { name: "start-s4", input: () => 0 })
  .waitFor(Go, { name: "second-s4", take: (sum, payload) => sum + payload })
  .awaitRun(good, { name: "await-s4", take: (sum, output) => sum + output })
  .then(step(4))
  .then(step(5));

const stores = openStores(STORE);
const { runs: kept } = stores;
const own = new Set<string>();

const keptEntry = (entry: RunEntry): KeptEntry => ({
  kind: entry.kind,
  ...("node" in entry && { step: Number(/s(\d)$/.exec(entry.node)?.[1]) }),
  ...("left" in entry && { left: entry.left }),
  ...(entry.kind === "waiting" && entry.signals?.includes(Go.name) && { isForSignals: true }),
  ...(entry.kind === "resumed" &&
    entry.woken && { woken: entry.woken.by === "time" ? "time" : entry.woken.number }),
});

const append: RunStore["append"] = async (id, known, entries, by) => {
  const lapsesBefore = lapses;
  pass("append.before");
  const asking = asked(id, known, entries, by);
  if (isDue("commit")) dieInCommit();
  const answer = await asking;
  if (answer === false) {
    own.delete(id);
    return false;
  }
  pass("append.kept");
  const kinds = entries.map(({ kind }) => kind);
  if (kinds.includes("begun") || kinds.includes("resumed")) lapsesAtClaim.set(id, lapsesBefore);
  if (kinds.includes("ended") || kinds.includes("waiting")) own.delete(id);
  const length = known + entries.length;
  tell({ what: "kept", run: id, length, entries: entries.map(keptEntry), isLate: isLate(id) });
  pass("append.answered");
  return answer;
};

/** The planted fault: all but claims is answered before it is committed. */
const behind = new Map<string, Promise<unknown>>();
const asked: RunStore["append"] = (id, ...rest) => {
  const [, [first]] = rest;
  if (FAULT !== "early" || first?.kind === "begun" || first?.kind === "resumed")
    return kept.append(id, ...rest);
  const before = Promise.all([behind.get(id), pause(25)]);
  behind.set(
    id,
    before.then(() => kept.append(id, ...rest)).catch(() => {}),
  );
  return true;
};

const beat: RunStore["beat"] = async (host, ttlMs) => {
  const at = performance.now();
  await kept.beat(host, ttlMs);
  if (performance.now() - beatAt > LEASE_MS) lapses += 1;
  beatAt = at;
};

const keyed = new IdempotencyGuard({ store: stores.idempotency, scope: () => "all" });
const server = await Framework.http()
  .stores({ ...stores, runs: { ...kept, append, beat } }, { leaseMs: LEASE_MS, maxResumptions: 1000 })
  .post("/good", good, { guards: [keyed] })
  .post("/later", good, { guards: [keyed], detached: true })
  .post("/bad", bad)
  .post("/waits", waits, { detached: true })
  .runStatus("/runs/:run_id")
  .bind("127.0.0.1:0")
  .run()
  .catch((error: unknown) => {
    // Its connection was cut.
    console.error(error);
    process.exit(NOT_STARTED);
  });
process.send?.("ready");

const ids = Array.from({ length: Number(RUNS) }, (_, at) => `k${at}`);
const waiting = Array.from({ length: Number(WAITS) }, (_, at) => `w${at}`);
const cancelled = Array.from({ length: Number(CANCELS) }, (_, at) => `c${at}`);

/** Each process begins each run, as clients do which try again. */
async function begin(run: string): Promise<void> {
  for (;;) {
    own.add(run);
    try {
      const axon = waiting.includes(run) ? waits : isGood(run) ? good : bad;
      const started = await server.runs.start(axon, 0, { runId: run });
      if (started.kind !== "begun") own.delete(run);
      if (started.kind !== "refused") return tell({ what: "started", run, as: started.kind });
    } catch (error) {
      console.error(run, error);
    }
    // The store cannot be asked just now.
    await pause(20);
  }
}

/** Until the store answers: its connections are cut. */
async function answered<T>(ask: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await ask();
    } catch {
      await pause(25);
    }
}

/** All processes cancel it at about the same time, until it is over. */
async function cancel(run: string): Promise<void> {
  await begin(run);
  for (let code: unknown; code !== "RUN_CANCELLED" && code !== "RUN_ENDED"; ) {
    await pause(Math.random() * 4 * STEP_MS);
    const outcome = await answered(() => server.runs.cancel(run, "enough"));
    code = isFault(outcome) ? (outcome.error as { readonly code?: unknown }).code : outcome.kind;
  }
}

/** All processes send the same signals, each twice, before and after the run waits for them. */
async function send(run: string): Promise<void> {
  await begin(run);
  for (const [id, payload] of SIGNALS)
    for (const _ of ["once", "again"]) {
      await pause(Math.random() * 3 * NAP_MS);
      pass("signal.before");
      const sent = await answered(() => server.runs.signal(run, Go, payload, { id }));
      pass("signal.kept");
      tell({ what: "signalled", run, id, as: isFault(sent) ? "not recorded" : sent.kind });
    }
}

/** Beside the runs: a process that is halted in the middle of it must hold up none of the others. */
async function takeTurns(): Promise<void> {
  while (!isOver) {
    try {
      const lease = await stores.locks.acquire("shared", LEASE_MS);
      if (lease !== undefined) {
        tell({ what: "locked", run: "", token: lease.token });
        await stores.audit.append({ actor: "driver", action: "turn", target: String(lease.token) });
        await stores.locks.release(lease);
      }
    } catch {
      // The store cannot be asked just now.
    }
    await pause(STEP_MS);
  }
}

let isOver = false;
const turns = takeTurns();
const cancels = cancelled.map(cancel);
const sending = waiting.map(send);
const clients = Array.from({ length: Number(KEYS) }, (_, at) =>
  sendKeyed({
    ...{ origin: server.url, key: `q${at}`, path: at % 2 === 0 ? "/good" : "/later" },
    tell: (line) => tell(line),
  }),
);
for (const { run } of ids.map((run) => ({ run, at: Math.random() })).sort((a, b) => a.at - b.at)) {
  while (own.size >= AT_ONCE) await pause(5);
  await begin(run);
}
await Promise.all([...clients, ...cancels, ...sending]);
while ((await answered(async () => kept.unfinished({ limit: 1 }))).length > 0) await pause(25);
const lines = readLedger(LEDGER);
for (const run of [...ids, ...cancelled, ...waiting, ...keyedRuns(lines), ...childRuns(lines)]) {
  const { kind, ...rest } = await answered(() => server.runs.result(run));
  const value = "output" in rest ? rest.output : "error" in rest ? rest.error : undefined;
  tell({ what: "result", run, result: `${kind} ${JSON.stringify(value)}` });
}
isOver = true;
await turns;
await server.close();
process.exit(0);

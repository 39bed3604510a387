// Compiled, never run: an unused @ts-expect-error fails the build.

import { Bus } from "#core/bus/bus.js";
import { busKey } from "#core/bus/bus-key.js";
import { branch, type Fault, fault } from "#core/bus/outcome.js";
import type { RuntimeFault } from "#core/bus/runtime-fault.js";
import type { LogEntry } from "#runtime/axon/advance-types.js";
import { Axon } from "#runtime/axon/axon.js";
import { MemoryRuns } from "#runtime/kept/memory-runs.js";

type Is<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
const yes = <T extends true>(): T => true as T;

const Rate = busKey<number>()("Rate");
const order = Axon.start<number>("order").withPersistenceStore(new MemoryRuns());
const priced = order.thenFn("price", (n) => (n > 9 ? fault({ code: "too-many" as const }) : `${n} EUR`));
const rated = priced.thenFn("rate", (price, bus) => price.length * bus.get(Rate), { reads: [Rate] });
const open = order.thenFn("split", (n) => (n > 1 ? branch("many", n) : n), { branches: ["many"] });

const log: readonly LogEntry[] = [];
const runId = "run";

// The outcome is the Axon's.
const advanced = await priced.advance(log, { runId, input: 1 });
type Outcome = NonNullable<typeof advanced.over>["outcome"];
yes<Is<Outcome, string | Fault<{ readonly code: "too-many" } | RuntimeFault>>>();

// The input and the values from outside are checked; the input may be left out behind the first entry.
await priced.advance(log, { runId });
await rated.advance(log, { runId, bus: Bus.of([[Rate, 2]]) });
// @ts-expect-error an input that the Axon does not take
await priced.advance(log, { runId, input: "1" });
// @ts-expect-error a key that later steps read is not given
await rated.advance(log, { runId, input: 1 });
// @ts-expect-error no id
await priced.advance(log, { input: 1 });
// @ts-expect-error a branch without an Axon
await open.advance(log, { runId, input: 1 });

// Reports dead letters and unfinished runs in memory stores, which are lost with the process.

import type { DeadLetterStore } from "#core/ports/dead-letter.js";
import { visitAxon } from "#runtime/definition/axon-definition.js";
import type { IngressPlan } from "../plan/ingress-plan.js";
import { axonsOfPlan } from "../request/shared-bus.js";

/** Reports the number of lost entries after the server has stopped; nothing if it is 0. Never rejects. */
export async function reportLostMemory(plan: IngressPlan): Promise<void> {
  const axons = axonsOfPlan(plan);
  const letters = new Set<Counted>();
  for (const axon of axons)
    visitAxon(axon, {
      axon({ dlqSink }) {
        if (dlqSink?.perProcess !== undefined && "count" in dlqSink) letters.add(dlqSink as Counted);
      },
    });
  const runs = new Set(
    axons.flatMap(({ persistence }) =>
      persistence?.store.perProcess === undefined ? [] : [persistence.store],
    ),
  );
  try {
    const lost = [
      counted(await sum(letters, ({ count }) => count()), "dead letter"),
      counted(
        await sum(runs, async ({ unfinished }) => (await unfinished({ limit: MAX_RUNS })).length),
        "unfinished run",
      ),
    ].flatMap((text) => text ?? []);
    if (lost.length === 0) return;
    const message = `${lost.join(" and ")} in memory ended with this process. Keep them in a database: openStores(url)`;
    plan.reporter({ code: "MEMORY_LOST", message });
  } catch {
    // The error is ignored: entries of a failing store are lost in any case.
  }
}

type Counted = Required<Pick<DeadLetterStore, "count">>;

const MAX_RUNS = 100_000;

async function sum<T>(all: Iterable<T>, count: (one: T) => number | Promise<number>): Promise<number> {
  let total = 0;
  for (const one of all) total += await count(one);
  return total;
}

const counted = (count: number, what: string): string | undefined =>
  count === 0 ? undefined : `${count} ${what}${count === 1 ? "" : "s"}`;

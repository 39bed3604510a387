import { channel } from "node:diagnostics_channel";

import { processesOf } from "#core/ports/pool-threads.js";
import type { IngressPlan } from "../plan/ingress-plan.js";
import type { Given } from "./lifecycle.js";
import { withStores } from "./mounted-stores.js";
import { type RunningServer, start } from "./server.js";
import { supervise } from "./workers/supervisor.js";
import { takeWorkerMark } from "./workers/worker-mark.js";

/** `framework dev` subscribes to it: `{ url }` of each server that listens. */
const listening = channel("framework.listening");

/** Throws STORE_MISSING. */
export async function run(declared: IngressPlan, given: Given): Promise<RunningServer> {
  const server = await started(withStores(declared, declared.stores), given);
  listening.publish({ url: server.url });
  return server;
}

async function started(plan: IngressPlan, given: Given): Promise<RunningServer> {
  const count = processesOf(plan.workers);
  if (count === 1) return start(plan, given);
  const mark = takeWorkerMark();
  return mark === undefined ? supervise(plan, count, given) : start(plan, given, mark);
}

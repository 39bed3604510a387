import { availableParallelism } from "node:os";

import type { IngressPlan } from "./ingress-plan.js";
import type { Given } from "./lifecycle.js";
import { type RunningServer, start } from "./server.js";
import { supervise } from "./workers/supervisor.js";
import { takeWorkerMark } from "./workers/worker-mark.js";

export async function run(plan: IngressPlan, given: Given): Promise<RunningServer> {
  const count = plan.workers === "auto" ? availableParallelism() : plan.workers;
  if (count === 1) return start(plan, given);
  const mark = takeWorkerMark();
  return mark === undefined ? supervise(plan, count, given) : start(plan, given, mark);
}

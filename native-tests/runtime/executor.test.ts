import { executorContract } from "../contracts/executor.js";
import { compositeContract } from "../contracts/executor-composites.js";
import { endingContract } from "../contracts/executor-endings.js";
import { lateContract } from "../contracts/executor-late.js";
import { executors } from "../support/executors.js";

for (const executor of executors) {
  executorContract(executor);
  compositeContract(executor);
  endingContract(executor);
  lateContract(executor);
}

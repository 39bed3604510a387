import { executorContract } from "../contracts/executor.js";
import { executors } from "../support/executors.js";

for (const executor of executors) executorContract(executor);

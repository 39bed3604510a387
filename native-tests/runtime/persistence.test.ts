import { persistenceContract } from "../contracts/executor-persistence.js";
import { executors } from "../support/executors.js";

for (const executor of executors) persistenceContract(executor);

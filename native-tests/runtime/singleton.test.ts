import { singletonContract } from "../contracts/executor-singleton.js";
import { executors } from "../support/executors.js";

for (const executor of executors) singletonContract(executor);

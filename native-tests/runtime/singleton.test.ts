import { lockFailuresContract } from "../contracts/executor-lock-failures.js";
import { singletonContract } from "../contracts/executor-singleton.js";
import { executors } from "../support/executors.js";

for (const executor of executors) {
  singletonContract(executor);
  lockFailuresContract(executor);
}

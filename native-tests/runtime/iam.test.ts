import { iamContract } from "../contracts/executor-iam.js";
import { executors } from "../support/executors.js";

for (const executor of executors) iamContract(executor);

import { executorContract } from "../contracts/executor.js";
import { deadLetterContract } from "../contracts/executor-dead-letters.js";
import { lateContract } from "../contracts/executor-late.js";
import { parallelContract } from "../contracts/executor-parallel.js";
import { retryContract } from "../contracts/executor-retry.js";
import { sagaContract } from "../contracts/executor-saga.js";
import { subgraphContract } from "../contracts/executor-subgraph.js";
import { timeLimitContract } from "../contracts/executor-time-limit.js";
import { executors } from "../support/executors.js";

for (const executor of executors) {
  executorContract(executor);
  subgraphContract(executor);
  parallelContract(executor);
  retryContract(executor);
  timeLimitContract(executor);
  sagaContract(executor);
  deadLetterContract(executor);
  lateContract(executor);
}

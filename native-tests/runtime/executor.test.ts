import { abortContract } from "../contracts/executor-abort.js";
import { answersContract } from "../contracts/executor-answers.js";
import { branchContract } from "../contracts/executor-branch.js";
import { busContract } from "../contracts/executor-bus.js";
import { deadLetterContract } from "../contracts/executor-dead-letters.js";
import { emitContract } from "../contracts/executor-emit.js";
import { jumpContract } from "../contracts/executor-jump.js";
import { lateContract } from "../contracts/executor-late.js";
import { parallelContract } from "../contracts/executor-parallel.js";
import { retryContract } from "../contracts/executor-retry.js";
import { sagaContract } from "../contracts/executor-saga.js";
import { subgraphContract } from "../contracts/executor-subgraph.js";
import { timeLimitContract } from "../contracts/executor-time-limit.js";
import { executors } from "../support/executors.js";

for (const executor of executors) {
  answersContract(executor);
  branchContract(executor);
  jumpContract(executor);
  emitContract(executor);
  busContract(executor);
  abortContract(executor);
  subgraphContract(executor);
  parallelContract(executor);
  retryContract(executor);
  timeLimitContract(executor);
  sagaContract(executor);
  deadLetterContract(executor);
  lateContract(executor);
}

import { iamContract } from "../contracts/executor-iam.js";
import { iamTokenContract } from "../contracts/executor-iam-token.js";
import { iamVerifierContract } from "../contracts/executor-iam-verifier.js";
import { executors } from "../support/executors.js";

for (const executor of executors) {
  iamContract(executor);
  iamVerifierContract(executor);
  iamTokenContract(executor);
}

import { asyncCheckpointsContract } from "../../contracts/executor-async-checkpoints.js";
import { keptUndoContract } from "../../contracts/executor-kept-undo.js";
import { persistenceContract } from "../../contracts/executor-persistence.js";
import { resumeContract } from "../../contracts/executor-resume.js";
import { executors } from "../../support/executors.js";

for (const executor of executors) {
  persistenceContract(executor);
  asyncCheckpointsContract(executor);
  resumeContract(executor);
  keptUndoContract(executor);
}

// The actions that fit the state of a stored run. Those that take it from a living process are apart.

import { useState } from "preact/hooks";

import type { KeptRun } from "../../../api/runs.js";
import { api, type CancelledData, type ResumedData } from "../../client/api.js";
import type { Problem } from "../../client/problem.js";
import { nodeName } from "../../format/node-name.js";
import { AskOnce } from "../../parts/ask-once.js";
import { Wrong } from "../../parts/notice.js";
import { Payload } from "../../parts/values/payload.js";
import { go } from "../../state/router.js";
import { placeOf } from "../../url/place.js";
import { WaitActions } from "./signal-form.js";
import { isAtWork, isOver } from "./steps.js";

/** Texts for the results, of a resumption and of a cancellation. */
export const RESUMED: Readonly<Record<ResumedData["result"], string>> = {
  running: "Resumed, still running. Its log shows the progress.",
  completed: "Resumed and completed.",
  faulted: "Resumed, ended in a fault.",
};
export const CANCELLED: Readonly<Record<CancelledData["result"], string>> = {
  cancelling: "Cancelling: its process compensates it as soon as the current step settles.",
  running: "Cancelled. Compensations are still running.",
  cancelled: "Cancelled and compensated.",
  faulted: "Failed before, and compensated.",
};

interface Done {
  readonly says: string;
  readonly data?: ResumedData | CancelledData;
}

export function Actions({ run, onDone }: { readonly run: KeptRun; onDone(): void }) {
  const [reason, setReason] = useState("");
  const [done, setDone] = useState<Done | undefined>(undefined);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const { run_id, state, node, is_undoing } = run;
  const ends = async (act: Promise<Done>) => {
    setProblem(undefined);
    setDone(await act);
    onDone();
  };
  const resume = (force: boolean) =>
    ends(api.resumeRun(run_id, force).then((data) => ({ says: RESUMED[data.result], data })));
  const cancel = (force: boolean) =>
    ends(api.cancelRun(run_id, reason, force).then((data) => ({ says: CANCELLED[data.result], data })));
  const onProblem = (refused: Problem) => {
    setDone(undefined);
    setProblem(refused);
    onDone();
  };
  const mayBeAtWork = isAtWork(run) || problem?.document["takes_force"] === true;
  const hasNoReason = reason.trim() === "";
  return (
    <>
      {!isOver(run) && (
        <p class="actions">
          {run.wait && (
            <WaitActions
              run={run}
              wait={run.wait}
              onDone={(says) => void ends(Promise.resolve({ says }))}
              onProblem={onProblem}
            />
          )}
          {!isAtWork(run) && !run.wait && state !== "unfit" && (
            <AskOnce
              class="primary"
              says={
                is_undoing
                  ? "Compensate the remaining steps in this server?"
                  : `Resume in this server, at ${nodeName(node)}?`
              }
              act={() => resume(false)}
              onProblem={onProblem}
            >
              Resume
            </AskOnce>
          )}
          {!is_undoing && (
            <>
              <label>
                Reason{" "}
                <input
                  type="text"
                  maxLength={1000}
                  value={reason}
                  onInput={({ currentTarget }) => setReason(currentTarget.value)}
                />
              </label>
              <AskOnce
                says="Cancel the run? Its completed steps are compensated."
                disabled={hasNoReason}
                act={() => cancel(false)}
                onProblem={onProblem}
              >
                Cancel run
              </AskOnce>
            </>
          )}
          {mayBeAtWork && (
            <span class="apart" role="group" aria-label="Take the run from its process">
              <AskOnce
                says="Resume here? The process that runs it now stops at its next checkpoint; its current step may run twice."
                act={() => resume(true)}
                onProblem={onProblem}
              >
                Force resume
              </AskOnce>
              {!is_undoing && (
                <AskOnce
                  says="Take the run over and compensate it here? Its current step is not compensated."
                  disabled={hasNoReason}
                  act={() => cancel(true)}
                  onProblem={onProblem}
                >
                  Force cancel
                </AskOnce>
              )}
            </span>
          )}
        </p>
      )}
      {isOver(run) && (
        <p class="actions">
          <AskOnce
            says="Forget the run? It is deleted with its history."
            act={() => api.forgetRun(run_id).then(() => go(placeOf(["kept"])))}
            onProblem={onProblem}
          >
            Forget
          </AskOnce>
        </p>
      )}
      {problem !== undefined && <Wrong problem={problem} asked="action" />}
      {done !== undefined && (
        <div role="status" aria-label="Result">
          <strong class={done.data?.result === "faulted" ? "fault" : undefined}>{done.says}</strong>
          {done.data !== undefined && done.data.outcome.kind !== "off" && (
            <Payload payload={done.data.outcome} what="the outcome" />
          )}
        </div>
      )}
    </>
  );
}

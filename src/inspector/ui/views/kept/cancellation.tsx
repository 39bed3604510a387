// Cancels a stored run: it fails with the given reason, and its completed steps are compensated.

import { useState } from "preact/hooks";

import type { KeptRun } from "../../../api/runs.js";
import { api, type CancelledData } from "../../client/api.js";
import type { Problem } from "../../client/problem.js";
import { AskOnce } from "../../parts/ask-once.js";
import { Wrong } from "../../parts/notice.js";

const RESULTS: Readonly<Record<CancelledData["result"], string>> = {
  cancelling: "Cancelling: its process compensates it as soon as the current step settles.",
  running: "Cancelled. Compensations are still running.",
  cancelled: "Cancelled and compensated.",
  faulted: "Failed before, and compensated.",
};

export interface CancellationProps {
  readonly run: KeptRun;
  onCancelled(): void;
}

export function Cancellation({ run, onCancelled }: CancellationProps) {
  const [reason, setReason] = useState("");
  const [cancelled, setCancelled] = useState<CancelledData | undefined>(undefined);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const isOver = run.state === "completed" || run.state === "faulted";
  const isAsked = run.state === "cancelling" || cancelled?.result === "cancelling";
  const cancel = async (force: boolean) => {
    setProblem(undefined);
    setCancelled(await api.cancelRun(run.run_id, reason, force));
    onCancelled();
  };
  return (
    <>
      {!isOver && (
        <p class="actions">
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
            disabled={reason.trim() === ""}
            act={() => cancel(false)}
            onProblem={setProblem}
          >
            Cancel run
          </AskOnce>
          {isAsked && (
            <AskOnce
              says="Take the run over and compensate it here? Its current step is not compensated."
              disabled={reason.trim() === ""}
              act={() => cancel(true)}
              onProblem={setProblem}
            >
              Force cancel
            </AskOnce>
          )}
        </p>
      )}
      {problem !== undefined && <Wrong problem={problem} asked="action" />}
      {cancelled !== undefined && (
        <p role="status" aria-label="Result of the cancellation">
          <strong>{RESULTS[cancelled.result]}</strong>
        </p>
      )}
    </>
  );
}

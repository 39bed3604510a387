// Cancels a stored run: it fails with the given reason, and its completed steps are compensated.

import { useState } from "preact/hooks";

import type { KeptRun } from "../../../api/runs.js";
import { api, type CancelledData } from "../../client/api.js";
import type { Problem } from "../../client/problem.js";
import { AskOnce } from "../../parts/ask-once.js";
import { Wrong } from "../../parts/notice.js";

const RESULTS: Readonly<Record<CancelledData["result"], string>> = {
  running: "Cancelled. Its steps are still being undone.",
  cancelled: "Cancelled, and undone.",
  faulted: "It had failed before, and is undone.",
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
  const cancel = async () => {
    setProblem(undefined);
    setCancelled(await api.cancelRun(run.run_id, reason));
    onCancelled();
  };
  return (
    <>
      {!isOver && (
        <p class="actions">
          <label>
            Reason to cancel{" "}
            <input
              type="text"
              maxLength={1000}
              value={reason}
              onInput={({ currentTarget }) => setReason(currentTarget.value)}
            />
          </label>
          <AskOnce
            says="Fails the run, and undoes what it completed?"
            disabled={reason.trim() === ""}
            act={cancel}
            onProblem={setProblem}
          >
            Cancel run
          </AskOnce>
        </p>
      )}
      {problem !== undefined && <Wrong problem={problem} asked="action" />}
      {cancelled !== undefined && (
        <p role="status" aria-label="What came of the cancellation">
          <strong>{RESULTS[cancelled.result]}</strong>
        </p>
      )}
    </>
  );
}

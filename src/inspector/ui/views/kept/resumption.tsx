// Resumes a stored run. `force` is offered only if the server reports that a host may still run it.

import { useState } from "preact/hooks";
import type { KeptRun } from "../../../api/runs.js";
import { api, type ResumedData } from "../../client/api.js";
import type { Problem } from "../../client/problem.js";
import { nodeName } from "../../format/node-name.js";
import { AskOnce } from "../../parts/ask-once.js";
import { Wrong } from "../../parts/notice.js";
import { Payload } from "../../parts/values/payload.js";

const RESULTS: Readonly<Record<ResumedData["result"], string>> = {
  running: "Resumed, still running. Its log shows the progress.",
  completed: "Resumed and completed.",
  faulted: "Resumed, ended in a fault.",
};

type Asked =
  | { readonly kind: "nothing" }
  | { readonly kind: "resumed"; readonly data: ResumedData }
  | { readonly kind: "refused"; readonly problem: Problem };

export interface ResumptionProps {
  readonly run: KeptRun;
  onResumed(): void;
}

export function Resumption({ run, onResumed }: ResumptionProps) {
  const [asked, setAsked] = useState<Asked>({ kind: "nothing" });
  const isOver = run.state === "completed" || run.state === "faulted";
  const resume = async (force: boolean) => {
    setAsked({ kind: "nothing" });
    const data = await api.resumeRun(run.run_id, force);
    setAsked({ kind: "resumed", data });
    onResumed();
  };
  const refused = (problem: Problem) => {
    setAsked({ kind: "refused", problem });
    onResumed();
  };
  const wantsForce = asked.kind === "refused" && asked.problem.document["takes_force"] === true;
  return (
    <>
      {!isOver && (
        <p class="actions">
          <AskOnce class="primary" says={willDo(run)} act={() => resume(false)} onProblem={refused}>
            Resume
          </AskOnce>
          {wantsForce && (
            <AskOnce
              says="Resume here? The process that runs it now stops at its next checkpoint; its current step may run twice."
              act={() => resume(true)}
              onProblem={refused}
            >
              Force resume
            </AskOnce>
          )}
        </p>
      )}
      {asked.kind === "refused" && <Wrong problem={asked.problem} asked="action" />}
      {asked.kind === "resumed" && (
        <div role="status" aria-label="Result">
          <strong class={asked.data.result === "faulted" ? "fault" : undefined}>
            {RESULTS[asked.data.result]}
          </strong>
          {asked.data.outcome.kind !== "off" && <Payload payload={asked.data.outcome} what="the outcome" />}
        </div>
      )}
    </>
  );
}

const willDo = ({ state, node }: KeptRun): string =>
  state === "undoing"
    ? "Compensate the remaining steps in this server?"
    : `Resume in this server, at ${nodeName(node)}?`;

// Resumes a stored run. `force` is offered only if the server reports that a host may still run it.

import { useState } from "preact/hooks";

import type { KeptRun } from "../../../api/runs.js";
import { api, type ResumedData } from "../../client/api.js";
import type { Problem } from "../../client/problem.js";
import { AskOnce } from "../../parts/ask-once.js";
import { Wrong } from "../../parts/notice.js";
import { Payload } from "../../parts/values/payload.js";

const RESULTS: Readonly<Record<ResumedData["result"], string>> = {
  running: "It goes on, and takes longer than the answer waited for. Its log says how far it has come.",
  completed: "It went on, and through.",
  faulted: "It went on, and ended in a fault.",
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
              says="Whoever is at it is stopped at its next entry, and it goes on here. What that one does until then may be done twice?"
              act={() => resume(true)}
              onProblem={refused}
            >
              Resume all the same
            </AskOnce>
          )}
        </p>
      )}
      {asked.kind === "refused" && <Wrong problem={asked.problem} asked="action" />}
      {asked.kind === "resumed" && (
        <div role="status" aria-label="What came of it">
          <strong class={asked.data.result === "faulted" ? "fault" : undefined}>
            {RESULTS[asked.data.result]}
          </strong>
          {asked.data.outcome.kind !== "off" && <Payload payload={asked.data.outcome} what="the outcome" />}
        </div>
      )}
    </>
  );
}

const willDo = ({ state, label }: KeptRun): string =>
  state === "undoing"
    ? "This server undoes the rest of what it completed?"
    : `It goes on in this server, at ${label}?`;

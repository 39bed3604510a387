import type { KeptRun } from "../../../api/runs.js";
import { api } from "../../client/api.js";
import { useResource } from "../../client/resource.js";
import { absolute } from "../../format/moment.js";
import { counted } from "../../format/quantity.js";
import { Ago } from "../../parts/ago.js";
import { NodeLink } from "../../parts/node-link.js";
import { isAtWork, type Step, shownState, stepsOf } from "./steps.js";
import { WaitsFor } from "./waits.js";

/** The newest ones; the log has all. */
const SHOWN = 40;

/** The steps of a run in its order: done, at work, next; and how often each was begun. */
export function Stepper({ run }: { readonly run: KeptRun }) {
  const { circuit } = run;
  const drawn = useResource(`schematic ${circuit}`, () => api.schematic(circuit));
  const all = stepsOf(run, drawn.value?.schematic);
  const from = Math.max(0, all.findLastIndex(({ kind }) => kind !== "next") + 1 - SHOWN);
  return (
    <ol class="stepper" aria-label="Steps of the run">
      {from > 0 && <li class="dim">{counted(from, "earlier step")}</li>}
      {all.slice(from, from + 2 * SHOWN).map((step, n) => (
        <li key={n} class={step.kind} aria-current={step.kind === "now" ? "step" : undefined}>
          <NodeLink circuit={circuit} node={step.node} />
          <span class="dim">
            {step.at === undefined ? "next" : <Told step={step} run={run} at={step.at} />}
            {step.attempts > 1 && `, ${counted(step.attempts, "attempt")}`}
          </span>
        </li>
      ))}
    </ol>
  );
}

function Told({
  step: { kind },
  run,
  at,
}: {
  readonly step: Step;
  readonly run: KeptRun;
  readonly at: number;
}) {
  if (kind === "done") return <span title={absolute(at)}>done</span>;
  if (kind === "failed") return <>{run.state === "cancelled" ? "cancelled" : "failed"}</>;
  if (run.wait)
    return (
      <>
        since <Ago at={run.last_at} />, <WaitsFor wait={run.wait} />
      </>
    );
  return (
    <>
      {isAtWork(run) ? "at work since" : `${shownState(run)} since`} <Ago at={run.last_at} />
    </>
  );
}

// Two runs side by side, and their first difference.

import type { TraceNode, TraceRow } from "../../../api/traces.js";
import { api, type DiffData } from "../../client/api.js";
import { useResource } from "../../client/resource.js";
import { duration } from "../../format/duration.js";
import { outcomeOf } from "../../format/fault.js";
import { nodeName } from "../../format/node-name.js";
import { Ago } from "../../parts/ago.js";
import { Link } from "../../parts/link.js";
import { Loading, Wrong } from "../../parts/notice.js";
import { RunEnd } from "../../parts/run-end.js";
import type { ViewProps } from "../view.js";
import "./compare.css";

export function CompareView({ path }: ViewProps) {
  const [, a = "", b = ""] = path;
  const { value, problem, reload } = useResource(`diff ${a} ${b}`, () => api.diff(a, b));
  return (
    <div class="view compare-runs">
      <div class="head">
        <h1>Compare</h1>
        <Link path={["compare", b, a]}>Swap</Link>
      </div>
      {problem !== undefined && <Wrong problem={problem} onAgain={reload} />}
      {value === undefined && problem === undefined && <Loading what="both runs" />}
      {value !== undefined && <Diff diff={value} />}
    </div>
  );
}

function Diff({ diff: { a, b, parted, steps } }: { readonly diff: DiffData }) {
  const longest = Math.max(
    1,
    ...steps.flatMap((step) => [step.a?.duration_us ?? 0, step.b?.duration_us ?? 0]),
  );
  return (
    <>
      <p class={parted === null ? "dim" : "parted"} role="status">
        {parted === null
          ? "Both runs took the same path."
          : `First difference at step ${parted.at + 1} (${parted.what}): ${parted.detail}`}
      </p>
      <table class="diff" aria-label="Steps of both runs">
        <thead>
          <tr>
            <th scope="col" class="n">
              <span class="unseen">Step</span>
            </th>
            <Head name="a" run={a} />
            <th scope="col" class="sign">
              <span class="unseen">Same</span>
            </th>
            <Head name="b" run={b} />
          </tr>
        </thead>
        <tbody>
          {steps.map((step, n) => (
            <tr key={n} class={`${step.is_same ? "same" : "other"} ${parted?.at === n ? "here" : ""}`}>
              <td class="n number dim">{n + 1}</td>
              <Step node={step.a} longest={longest} />
              <td class="sign">
                {step.is_same ? <span class="dim">=</span> : <strong title="Different">≠</strong>}
              </td>
              <Step node={step.b} longest={longest} />
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function Head({ name, run }: { readonly name: string; readonly run: TraceRow }) {
  return (
    <th scope="col">
      <strong>{name}</strong>{" "}
      <Link path={["runs", run.run_id]} class="mono">
        {run.run_id}
      </Link>{" "}
      {duration(run.duration_us)}, <Ago at={run.started_at} />
      <br /> <RunEnd run={run} />
    </th>
  );
}

function Step({ node, longest }: { readonly node: TraceNode | null; readonly longest: number }) {
  if (node === null) return <td class="dim none">missing</td>;
  return (
    <td>
      <span class="step" style={{ paddingLeft: `${node.depth * 12}px` }}>
        <span class="cut">{nodeName(node.node)}</span>
        <span class={node.outcome === "fault" ? "strong" : "dim"}>{outcomeOf(node)}</span>
        <span class="scale" aria-hidden="true">
          <i style={{ width: `${(node.duration_us / longest) * 100}%` }} />
        </span>
        <span class="number">{duration(node.duration_us)}</span>
      </span>
    </td>
  );
}

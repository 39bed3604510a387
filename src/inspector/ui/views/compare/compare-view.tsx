// Two runs side by side, and their first difference. A step opens to the payloads of both.

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
import { choose, place } from "../../state/router.js";
import { useStore } from "../../state/store.js";
import { VisitPayloads } from "../run/visit-payloads.js";
import type { ViewProps } from "../view.js";
import "./compare.css";

type DiffStep = DiffData["steps"][number];

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
          ? "Same path, outcome and captured data."
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
            <Row key={n} step={step} n={n} isHere={parted?.at === n} longest={longest} />
          ))}
        </tbody>
      </table>
    </>
  );
}

function Row(props: {
  readonly step: DiffStep;
  readonly n: number;
  readonly isHere: boolean;
  readonly longest: number;
}) {
  const { step, n, isHere, longest } = props;
  const isOpen = useStore(place, ({ params }) => params.get("open") === String(n));
  const toggle = () => choose({ open: isOpen ? undefined : String(n) });
  const folded = step.differs.filter(({ is_folded }) => is_folded);
  const shown = step.differs.filter(({ is_folded }) => !is_folded);
  const called = nodeName((step.a ?? step.b)?.node ?? "");
  return (
    <>
      <tr class={`${step.is_same ? "same" : "other"} ${isHere ? "here" : ""}`}>
        <td class="n number">
          <button
            type="button"
            class="plain"
            aria-expanded={isOpen}
            aria-label={`Payloads of step ${n + 1}, ${called}`}
            onClick={toggle}
          >
            {isOpen ? "−" : "+"} {n + 1}
          </button>
        </td>
        <Step node={step.a} longest={longest} />
        <td class="sign">
          {step.is_same ? <span class="dim">=</span> : <strong title="Different">≠</strong>}
        </td>
        <Step node={step.b} longest={longest} />
      </tr>
      {isOpen && (
        <tr class="opened">
          <td colSpan={4}>
            <Differing title="Different" of={shown} />
            <Differing title="Different in any two runs (ids, times, limits)" of={folded} />
            <div class="both">
              {[step.a, step.b].map((node, at) => (
                <div key={at}>
                  {node === null ? <p class="dim">missing</p> : <VisitPayloads visit={node} />}
                </div>
              ))}
            </div>
          </td>
        </tr>
      )}
    </>
  );
}

function Differing({ title, of }: { readonly title: string; readonly of: DiffStep["differs"] }) {
  if (of.length === 0) return null;
  return (
    <p>
      {title}: <code>{of.map(({ what, pointer }) => `${what} ${pointer}`.trim()).join(", ")}</code>
    </p>
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

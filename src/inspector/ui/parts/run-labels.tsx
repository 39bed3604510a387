// The labels of a run. Each leads to the runs that have it.

import type { TraceRow } from "../../api/traces.js";
import { Link } from "./link.js";
import "./run-labels.css";

export interface RunLabelsProps {
  readonly of: TraceRow["labels"];
  /** The list that a label leads to. Default: traced runs. */
  readonly list?: "runs" | "kept";
}

export const RunLabels = ({ of = {}, list = "runs" }: RunLabelsProps) => (
  <>
    {Object.entries(of).map(([name, value]) => (
      <Link
        key={name}
        path={[list]}
        params={{ label: `${name}:${value}` }}
        class="label"
        title={`Runs with ${name} ${value}`}
      >
        <span class="dim">{name}</span> {value}
      </Link>
    ))}
  </>
);

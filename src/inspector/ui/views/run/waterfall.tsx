// One row per visit of a node, with bars to scale, and rows of its calls below it.

import { Fragment } from "preact";
import type { Trace, TraceNode } from "../../../api/traces.js";
import { duration } from "../../format/duration.js";
import { outcomeOf } from "../../format/fault.js";
import { nodeName } from "../../format/node-name.js";
import { toneOf } from "../../format/outcome.js";
import { counted } from "../../format/quantity.js";
import { piecesOf, ticksOf } from "./bars.js";
import { InnerRows } from "./inner-rows.js";
import "./waterfall.css";

export interface WaterfallProps {
  readonly trace: Trace;
  /** Index in `trace.nodes`. */
  readonly selected?: number | undefined;
  onSelect?(at: number): void;
}

export function Waterfall({ trace, selected, onSelect }: WaterfallProps) {
  const { nodes, run } = trace;
  const total = Math.max(1, run.duration_us, ...nodes.map((node) => node.entered_us + node.duration_us));
  const percent = (us: number): string => `${((us / total) * 100).toFixed(3)}%`;
  return (
    <div class="waterfall" role="table" aria-label={`Timeline of run ${run.run_id}`}>
      <div class="axis" role="row">
        <span role="columnheader">Node</span>
        <span class="track" role="columnheader" aria-label="Time since the start">
          {ticksOf(total).map((at) => (
            <i key={at} style={{ left: percent(at) }}>
              {duration(at)}
            </i>
          ))}
        </span>
        <span role="columnheader" class="number">
          Duration
        </span>
      </div>
      {nodes.map((node, at) => {
        const select = onSelect && (() => onSelect(at));
        return (
          <Fragment key={at}>
            <Line
              trace={trace}
              node={node}
              isSelected={at === selected}
              percent={percent}
              onSelect={select}
            />
            <InnerRows visit={node} percent={percent} onSelect={select} />
          </Fragment>
        );
      })}
      {trace.inner_dropped !== undefined && (
        <p class="reason held">
          {counted(trace.inner_dropped, "call or span", "calls or spans")} not stored: a run has at most 200.
        </p>
      )}
    </div>
  );
}

interface LineProps {
  readonly trace: Trace;
  readonly node: TraceNode;
  readonly isSelected: boolean;
  percent(us: number): string;
  readonly onSelect: (() => void) | undefined;
}

function Line({ trace: { run }, node, isSelected, percent, onSelect }: LineProps) {
  const isFault = node.outcome === "fault" || node.outcome === "aborted";
  const isCause = isFault && run.fault !== null && run.fault.node === node.node;
  const tone = toneOf(run) ?? "";
  const called = nodeName(node.node);
  const words = `${called}, ${outcomeOf(node)}, ${duration(node.duration_us)}`;
  const name = <span class="cut">{called}</span>;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the button inside handles the keys
    <div
      role="row"
      class={`visit ${isSelected ? "selected" : ""} ${isCause ? `cause ${tone}` : ""}`}
      onClick={onSelect}
    >
      <span
        role="cell"
        class="name"
        style={{ paddingLeft: `${8 + node.depth * 12}px` }}
        title={`${node.kind} ${node.node}`}
      >
        {onSelect === undefined ? (
          name
        ) : (
          <button type="button" class="plain" aria-label={words} aria-pressed={isSelected}>
            {name}
          </button>
        )}
        {node.outcome !== "next" && <span class={isFault ? `tag ${tone}` : "tag"}>{outcomeOf(node)}</span>}
      </span>
      <span role="cell" class="track">
        {piecesOf(node).map(({ kind, fromUs, toUs }, n) => (
          <i
            key={n}
            class={kind}
            title={`${TITLES[kind]}, ${duration(toUs - fromUs)}`}
            style={{ left: percent(fromUs), width: percent(toUs - fromUs) }}
          />
        ))}
      </span>
      <span role="cell" class="number" title={`Entered ${duration(node.entered_us)} after the start`}>
        {duration(node.duration_us)}
      </span>
      {node.above_p99_us !== undefined && (
        <span role="cell" class="reason slow">
          Slower than its p99, {duration(node.above_p99_us)}
        </span>
      )}
      {node.retries.length > 0 && (
        <span role="cell" class="reason tries">
          {node.retries.length + 1} attempts:{" "}
          {node.retries.map(({ delay_ms }) => `waited ${duration(delay_ms * 1000)}`).join(", ")}
        </span>
      )}
    </div>
  );
}

const TITLES = {
  work: "Ran",
  failed: "Ran and failed",
  wait: "Waited for the next attempt",
  held: "Held by a breakpoint",
  checkpoint: "The run waited for its checkpoint, no time of the node",
  lock: "The run waited for its lock, no time of the node",
} as const;

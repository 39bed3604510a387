// One circuit: its Schematic with figures, and a drawer for the selected node.

import { useEffect, useMemo } from "preact/hooks";

import type { Schematic as SchematicData, SchematicNode } from "#core/flow/schematic.js";
import { api } from "../../client/api.js";
import { useResource } from "../../client/resource.js";
import { basis, latency, refusedShare, windowOf } from "../../format/figure.js";
import { percent, rate } from "../../format/quantity.js";
import { Link } from "../../parts/link.js";
import { Loading, Wrong } from "../../parts/notice.js";
import { Segments } from "../../parts/segments.js";
import { breakpointChanges, series } from "../../state/live.js";
import { choose, place } from "../../state/router.js";
import { useStore } from "../../state/store.js";
import { useWindow, WINDOWS } from "../../state/window-choice.js";
import type { ViewProps } from "../view.js";
import { figuresOf, type HeatBy } from "./figures.js";
import { heatOf } from "./node-box.js";
import { NodeDrawer } from "./node-drawer.js";
import { NodeTable } from "./node-table.js";
import { Schematic } from "./schematic.js";
import "./circuit.css";

const HEATS: readonly (readonly [HeatBy, string])[] = [
  ["p99", "p99"],
  ["rate", "Rate"],
  ["errors", "Errors"],
  ["refused", "Refused"],
  ["time", "Share of time"],
];

export function CircuitView({ path }: ViewProps) {
  const name = path[1] ?? "";
  useEffect(() => series.follow(name), [name]);
  const { value, problem, reload } = useResource(`schematic ${name}`, () => api.schematic(name));
  const changes = useStore(breakpointChanges);
  const breakpoints = useResource("breakpoints", api.breakpoints, undefined, changes);
  const nodeId = useStore(place, ({ params }) => params.get("node"));
  const heatBy = useStore(place, ({ params }) => heatNamed(params.get("heat")));
  const { choice, seconds, metrics, asked, choose: chooseWindow } = useWindow();
  const circuit = metrics?.circuits.find((one) => one.circuit === name);
  const schematic = value?.schematic;
  const figures = useMemo(
    () => schematic && figuresOf(schematic, circuit?.nodes ?? [], seconds),
    [schematic, circuit, seconds],
  );
  if (value === undefined || figures === undefined)
    return (
      <div class="view">
        <div class="head">
          <h1>{name}</h1>
        </div>
        {problem === undefined ? (
          <Loading what={`the circuit ${name}`} />
        ) : (
          <Wrong problem={problem} onAgain={reload} />
        )}
      </div>
    );
  const window = windowOf(circuit?.windows ?? [], seconds);
  const armed = (breakpoints.value?.breakpoints ?? []).filter((one) => one.circuit === name);
  const node = nodeId === undefined ? undefined : findNode(value.schematic, nodeId);
  return (
    <>
      <div class="view circuit">
        <div class="head">
          <h1>{name}</h1>
          <span class="dim">{value.circuit.version}</span>
          <span class="routes mono cut">{value.circuit.routes.join("  ")}</span>
          <div class="push controls">
            <Segments
              label="Heat by"
              options={HEATS}
              value={heatBy}
              onChoose={(heat) => choose({ heat: heat === "p99" ? undefined : heat })}
            />
            <Segments label="Window" options={WINDOWS} value={choice} onChoose={chooseWindow} />
          </div>
        </div>
        <p class="line">
          <span title={basis("Runs", window)}>{rate(window?.per_second ?? 0)}</span>
          <span title={basis("p50", window)}>p50 {latency(window, "p50_us")}</span>
          <span title={basis("p99", window)}>p99 {latency(window, "p99_us")}</span>
          <span class={(window?.errors ?? 0) > 0 ? "fault" : "dim"} title={basis("Errors: 5xx", window)}>
            {percent(window?.error_share ?? 0)} errors
          </span>
          <span class="dim" title={basis("Refused: faults below 500", window)}>
            {percent(refusedShare(window))} refused
          </span>
          <span>{circuit?.in_flight ?? 0} in flight</span>
          <span class="dim">{basis("All figures", window)}</span>
          <span class="push">
            <Link path={["runs"]} params={{ circuit: name, order: "slowest" }}>
              Slowest runs
            </Link>
            <Link path={["live"]} params={{ circuit: name }}>
              Live
            </Link>
          </span>
        </p>
        {nodeId !== undefined && node === undefined && (
          <p class="fault" role="status">
            Unknown node {nodeId} in this circuit.
          </p>
        )}
        {asked.problem !== undefined && <Wrong problem={asked.problem} onAgain={asked.reload} />}
        <Schematic
          schematic={value.schematic}
          figures={figures}
          heatBy={heatBy}
          armed={new Set(armed.filter(({ enabled }) => enabled).map(({ node_id }) => node_id))}
        />
        <Legend heatBy={heatBy} />
        <NodeTable nodes={circuit?.nodes ?? []} figures={figures} selected={nodeId} />
      </div>
      {node !== undefined && (
        <NodeDrawer
          key={node.id}
          circuit={name}
          node={node}
          classified={value?.classified.filter((field) => field.node === node.id) ?? []}
          metrics={circuit?.nodes.find((one) => one.node === node.id)}
          breakpoints={armed.filter(({ node_id }) => node_id === node.id)}
          onClose={() => choose({ node: undefined })}
        />
      )}
    </>
  );
}

function Legend({ heatBy }: { readonly heatBy: HeatBy }) {
  const ends = heatBy === "errors" || heatBy === "refused" ? ["none", "20 %+"] : ["low", "high"];
  return (
    <p class="legend dim">
      <span>Left edge: {HEATS.find(([value]) => value === heatBy)?.[1]}</span>
      <span>{ends[0]}</span>
      {[0, 1, 2, 3, 4].map((level) => (
        <i key={level} class="swatch" style={heatOf(level)} />
      ))}
      <span>{ends[1]}</span>
      <span class="push">
        Line width: flow. Dotted: jump back. Dashed: compensation. Cross: runs ended here.
      </span>
    </p>
  );
}

function findNode({ nodes }: SchematicData, id: string): SchematicNode | undefined {
  for (const node of nodes) {
    if (node.id === id) return node;
    const inside = node.schematic === undefined ? undefined : findNode(node.schematic, id);
    if (inside !== undefined) return inside;
  }
  return undefined;
}

const heatNamed = (text: string | undefined): HeatBy => HEATS.find(([by]) => by === text)?.[0] ?? "p99";

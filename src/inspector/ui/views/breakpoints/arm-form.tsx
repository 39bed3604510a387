import { useMemo, useState } from "preact/hooks";
import { pathsOfSchema } from "../../../breakpoints/schema-paths.js";
import { api } from "../../client/api.js";
import { roleOf } from "../../client/connection.js";
import { pathsOfValue } from "../../condition/paths-of-value.js";
import { readCondition } from "../../condition/reading.js";
import { nodeName } from "../../format/node-name.js";
import { AskOnce } from "../../parts/ask-once.js";
import { Segments } from "../../parts/segments.js";
import { allNodes, link } from "../../state/live.js";
import { adjust, place } from "../../state/router.js";
import { useStore } from "../../state/store.js";
import { ConditionField } from "./condition-field.js";
import type { KnownNode } from "./known-nodes.js";
import { useNewestInput } from "./use-newest-input.js";

const MODES = [
  ["hold", "Hold"],
  ["snapshot", "Snapshot"],
] as const;
type Mode = (typeof MODES)[number][0];

/** The server's limit. */
const MAX_HOLD_S = 120;

export function ArmForm({ nodes, onArmed }: { readonly nodes: readonly KnownNode[]; onArmed(): void }) {
  const node = useStore(place, ({ params }) => params.get("node") ?? "");
  const condition = useStore(place, ({ params }) => params.get("condition") ?? "");
  const [mode, setMode] = useState<Mode>("hold");
  const [holdSeconds, setHoldSeconds] = useState(20);
  const [hits, setHits] = useState<number | undefined>(undefined);
  // Metrics name every node; routes name the nodes with schemas.
  const names = useStore(allNodes, (all) =>
    (all?.circuits ?? [])
      .flatMap((circuit) => circuit.nodes.map((one) => one.node))
      .sort()
      .join("\n"),
  );
  const known = nodes.find((one) => one.node === node);
  const seen = useNewestInput(node !== "" && known?.inputSchema === undefined ? node : undefined);
  const paths = useMemo(
    () => (known?.inputSchema === undefined ? pathsOfValue(seen) : pathsOfSchema(known.inputSchema)),
    [known, seen],
  );
  const isViewer = useStore(link, (one) => roleOf(one) === "viewer");
  // Before the nodes are loaded, no node counts as unknown.
  const isUnknown = node !== "" && names !== "" && known === undefined && !names.split("\n").includes(node);
  const isWrong = readCondition(condition).kind === "wrong";
  const most = hits ?? (mode === "hold" ? 1 : 100);
  const label = nodeName(node);
  return (
    <section class="arm" aria-label="New breakpoint">
      <h2>New breakpoint</h2>
      <div class="fields">
        <label class="at">
          <span class="dim">At node</span>
          <input
            type="text"
            list="nodes"
            class="mono"
            aria-label="Node"
            aria-invalid={isUnknown}
            placeholder="circuit/node"
            autocomplete="off"
            spellcheck={false}
            value={node}
            onInput={({ currentTarget }) => adjust({ node: currentTarget.value })}
          />
          <datalist id="nodes">
            {names.split("\n").map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </label>
        <div class="if">
          <span class="dim">Condition</span>
          <ConditionField
            isNext={node !== "" && condition === ""}
            value={condition}
            paths={paths}
            onInput={(text) => adjust({ condition: text })}
          />
        </div>
      </div>
      <div class="fields">
        <Segments label="Mode" options={MODES} value={mode} onChoose={(next) => setMode(next)} />
        {mode === "hold" && (
          <label>
            for at most{" "}
            <NumberField
              label="Seconds held"
              value={holdSeconds}
              max={MAX_HOLD_S}
              onChange={setHoldSeconds}
            />{" "}
            s
          </label>
        )}
        <label>
          <NumberField label="Hits" value={most} max={1_000_000} onChange={setHits} />{" "}
          {most === 1 ? "hit" : "hits"}, then disabled
        </label>
        {isViewer && <span class="dim">Requires the operator's token.</span>}
        {isUnknown && (
          <span class="fault" role="status">
            Unknown node {node}
          </span>
        )}
        <span class="push">
          <AskOnce
            class="primary"
            disabled={node === "" || isUnknown || isWrong}
            says={
              mode === "hold"
                ? `Hold ${most === 1 ? "the next run" : `the next ${most} runs`} at ${label}, ${most === 1 ? "" : "each "}for ${holdSeconds} s at most?`
                : `Record the input of ${most === 1 ? "the next run" : `the next ${most} runs`} at ${label}?`
            }
            act={async () => {
              await api.setBreakpoint({
                node_id: node,
                mode,
                max_hits: most,
                ...(mode === "hold" ? { hold_ms: holdSeconds * 1000 } : {}),
                ...(condition.trim() === "" ? {} : { condition }),
              });
              adjust({ condition: undefined });
              onArmed();
            }}
          >
            Arm
          </AskOnce>
        </span>
      </div>
    </section>
  );
}

interface NumberFieldProps {
  readonly label: string;
  readonly value: number;
  readonly max: number;
  onChange(value: number): void;
}

function NumberField({ label, value, max, onChange }: NumberFieldProps) {
  return (
    <input
      type="number"
      aria-label={label}
      min={1}
      max={max}
      value={value}
      onChange={({ currentTarget }) => {
        const next = Math.round(Number(currentTarget.value));
        if (next >= 1 && next <= max) onChange(next);
        else currentTarget.value = String(value);
      }}
    />
  );
}

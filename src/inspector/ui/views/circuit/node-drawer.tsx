// The details of one node.

import type { SchematicNode } from "#core/flow/schematic.js";
import type { Breakpoint } from "../../../api/breakpoints.js";
import type { ClassifiedNodeField } from "../../../api/circuits.js";
import type { NodeMetrics } from "../../../api/metrics.js";
import { nodeName } from "../../format/node-name.js";
import { counted } from "../../format/quantity.js";
import { Drawer } from "../../parts/drawer.js";
import { Link } from "../../parts/link.js";
import { Copy } from "../../parts/values/copy.js";
import { Json } from "../../parts/values/json.js";
import { NodeFigures } from "./node-figures.js";
import { NodeRuns } from "./node-runs.js";
import "./node-drawer.css";

export interface NodeDrawerProps {
  readonly circuit: string;
  readonly node: SchematicNode;
  /** The fields that its schemas mark. */
  readonly classified: readonly ClassifiedNodeField[];
  readonly metrics: NodeMetrics | undefined;
  readonly breakpoints: readonly Breakpoint[];
  onClose(): void;
}

export function NodeDrawer({ circuit, node, classified, metrics, breakpoints, onClose }: NodeDrawerProps) {
  const name = nodeName(node.id);
  return (
    <Drawer label={`Node ${name}`} title={`${name} · ${node.kind}`} onClose={onClose}>
      {node.description !== undefined && <p class="about">{node.description}</p>}
      <NodeFigures circuit={circuit} node={node.id} metrics={metrics} />
      <section>
        <h3>Breakpoints</h3>
        {breakpoints.map(({ id, condition, mode, enabled, hits }) => (
          <p key={id}>
            {enabled ? mode : `${mode}, disabled`} {condition !== null && <code>{condition}</code>}{" "}
            <span class="dim">{counted(hits, "hit")}</span>
          </p>
        ))}
        <Link path={["breakpoints"]} params={{ node: node.id }}>
          Set a breakpoint…
        </Link>
      </section>
      <NodeRuns circuit={circuit} node={node.id} />
      <Facts node={node} />
      <Schemas node={node} classified={classified} />
    </Drawer>
  );
}

function Facts({ node }: { readonly node: SchematicNode }) {
  const bus = node.bus_capability;
  const keys = [
    ["Reads", [...(bus?.reads ?? []), ...(bus?.may_read ?? []).map((key) => `${key}?`)]],
    ["Writes", [...(bus?.writes ?? []), ...(bus?.may_write ?? []).map((key) => `${key}?`)]],
    ["Deletes", bus?.deletes ?? []],
    ["Emits", node.emits ?? []],
  ] as const;
  const source = node.source_location;
  return (
    <section>
      <h3>Declared</h3>
      <dl class="facts">
        {keys.map(
          ([name, all]) =>
            all.length > 0 && (
              <Fact key={name} name={`${name}${name === "Emits" ? "" : " (Bus)"}`} value={all.join(", ")} />
            ),
        )}
        {node.iam !== undefined && <Fact name="Policy" value={node.iam.policy} />}
        {node.iam !== undefined && (
          <Fact name="Verified by" value={`${node.iam.verifier}, from ${node.iam.token}`} />
        )}
        {node.iam?.weakened !== undefined && <Fact name="Weakened" value={node.iam.weakened} />}
        {node.retry !== undefined && (
          <Fact name="Retries" value={`${node.retry.max_retries}, ${node.retry.backoff}`} />
        )}
        {node.timeout_ms !== undefined && <Fact name="Time limit" value={`${node.timeout_ms} ms`} />}
        {node.replay !== undefined && <Fact name="In a replay" value={node.replay} />}
        {node.offload !== undefined && (
          <Fact name="Offloaded to" value={`${node.offload.export} of ${node.offload.module}`} />
        )}
        {node.strategy !== undefined && <Fact name="Strategy" value={node.strategy} />}
        {node.compensation_node_id !== undefined && (
          <Fact name="Compensated by" value={node.compensation_node_id} />
        )}
        <Fact name="Id" value={node.id} />
      </dl>
      {source !== undefined && (
        <p class="source">
          <code class="cut">{`${source.file}:${source.line}`}</code>
          <Copy text={`${source.file}:${source.line}`} what="the source location" />
        </p>
      )}
    </section>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt class="dim">{name}</dt>
      <dd class="mono">{value}</dd>
    </div>
  );
}

function Schemas({ node, classified }: Pick<NodeDrawerProps, "node" | "classified">) {
  const { input_schema, output_schema } = node;
  return (
    <>
      {(
        [
          ["input", "Input", input_schema],
          ["output", "Output", output_schema],
        ] as const
      ).map(
        ([side, name, schema]) =>
          schema !== undefined && (
            <section key={side} aria-label={`${name} schema`}>
              <Classified fields={classified.filter((field) => field.side === side)} name={name} />
              <details>
                <summary>{name} schema</summary>
                <Json value={schema} what={`the ${side} schema`} />
              </details>
            </section>
          ),
      )}
    </>
  );
}

/** Level and category of each marked field. */
function Classified({
  fields,
  name,
}: {
  readonly fields: readonly ClassifiedNodeField[];
  readonly name: string;
}) {
  if (fields.length === 0) return null;
  return (
    <table class="classified" aria-label={`Classified fields of the ${name.toLowerCase()}`}>
      <thead>
        <tr>
          <th scope="col">{name} field</th>
          <th scope="col">Level</th>
          <th scope="col">Category</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ pointer, level, category }) => (
          <tr key={pointer}>
            <td class="mono">{pointer === "" ? "whole value" : pointer}</td>
            <td class={level === "restricted" ? "strong" : undefined}>{level}</td>
            <td>{category ?? "–"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

import { useState } from "preact/hooks";

import type { Trace } from "../../../api/traces.js";
import { nodeName } from "../../format/node-name.js";
import { Json } from "../../parts/values/json.js";
import { Payload } from "../../parts/values/payload.js";

/** All captured values of the run in its order: inputs, outputs and emitted events. */
export function PayloadsTab({ trace }: { readonly trace: Trace }) {
  const all = trace.nodes.flatMap(({ node, outcome, target, input, output }) => {
    const name = nodeName(node);
    const out = outcome === "emit" ? `Event ${target}, from ${name}` : `${name}: output`;
    return [[`${name}: input`, input] as const, [out, output] as const];
  });
  const shown = all.filter(([, { kind }]) => kind !== "off");
  return (
    <>
      {shown.length === 0 && <Payload payload={{ kind: "off" }} what="the payloads" />}
      {shown.map(([title, payload], n) => (
        <Folded key={n} title={title}>
          {() => <Payload payload={payload} what={title} />}
        </Folded>
      ))}
      <Folded title="The run as JSON">{() => <Json value={trace} what="the run as JSON" />}</Folded>
    </>
  );
}

/** Its content is rendered when it is opened: a run may have 500 payloads. */
function Folded({ title, children }: { readonly title: string; children(): preact.JSX.Element }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children()}
    </details>
  );
}

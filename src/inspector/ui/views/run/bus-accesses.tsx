import type { Trace } from "../../../api/traces.js";
import { nodeName } from "../../format/node-name.js";
import { prettyJson } from "../../json/json-tokens.js";

/** The nodes' reads, writes and deletes on the Bus, in the order of the run. */
export function BusAccesses({ trace: { bus } }: { readonly trace: Trace }) {
  if (bus.length === 0) return <p class="dim">No Bus reads or writes in this run.</p>;
  return (
    <table class="accesses" aria-label="Bus reads and writes">
      <thead>
        <tr>
          <th scope="col">Node</th>
          <th scope="col">Access</th>
          <th scope="col">Key</th>
          <th scope="col">Value</th>
        </tr>
      </thead>
      <tbody>
        {bus.map(({ node, access, key, value }, n) => (
          <tr key={n}>
            <td title={node}>{nodeName(node)}</td>
            <td>{access === "read" ? access : <strong>{access}</strong>}</td>
            <td class="mono">{key}</td>
            <td>
              {value.kind === "full" && <Value text={prettyJson(value.value)} what={`${key}, ${access}`} />}
              {value.kind === "hash" && <code>{value.hash}</code>}
              {value.kind === "off" && <span class="dim">not captured</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A longer value scrolls, so that the other accesses stay visible. */
const LONG = { characters: 200, lines: 6 };

function Value({ text, what }: { readonly text: string; readonly what: string }) {
  if (text.length <= LONG.characters && text.split("\n").length <= LONG.lines) return <pre>{text}</pre>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach a scrolling region
    <pre role="region" tabIndex={0} aria-label={what}>
      {text}
    </pre>
  );
}

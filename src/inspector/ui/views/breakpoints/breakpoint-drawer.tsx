import type { Breakpoint } from "../../../api/breakpoints.js";
import { duration } from "../../format/duration.js";
import { nodeIn, nodeName } from "../../format/node-name.js";
import { count } from "../../format/quantity.js";
import { Ago } from "../../parts/ago.js";
import { Drawer } from "../../parts/drawer.js";
import { Link } from "../../parts/link.js";
import { Payload } from "../../parts/values/payload.js";

export interface BreakpointDrawerProps {
  readonly breakpoint: Breakpoint;
  onClose(): void;
}

/** The condition of a breakpoint and the inputs it captured. */
export function BreakpointDrawer({ breakpoint, onClose }: BreakpointDrawerProps) {
  const { circuit, node_id, condition, mode, hold_ms, hits, max_hits, snapshots } = breakpoint;
  return (
    <Drawer label={`Breakpoint at ${nodeName(node_id)}`} title={nodeIn(circuit, node_id)} onClose={onClose}>
      <section>
        <p>{condition === null ? "Every run" : <code>{condition}</code>}</p>
        <p class="dim">
          {mode === "hold" ? `Holds a run for ${duration(hold_ms * 1000)} at most` : "Records inputs"};{" "}
          {count(hits)} of {count(max_hits)} hits.{" "}
          <Link path={["circuits", circuit]} params={{ node: node_id }}>
            Node
          </Link>
        </p>
      </section>
      {snapshots.map(({ run_id, at, input }) => (
        <section key={run_id} aria-label={`Snapshot of ${run_id}`}>
          <h3>
            <Link path={["runs", run_id]} class="mono">
              {run_id}
            </Link>{" "}
            <Ago at={at} />
          </h3>
          <Payload payload={input} what="the input" />
        </section>
      ))}
    </Drawer>
  );
}

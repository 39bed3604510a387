// Held runs with their remaining time; below them the breakpoints.

import { useMemo, useState } from "preact/hooks";

import { api } from "../../client/api.js";
import { useResource } from "../../client/resource.js";
import { counted } from "../../format/quantity.js";
import { Loading, Wrong } from "../../parts/notice.js";
import { askPaused, breakpointChanges, paused } from "../../state/live.js";
import { choose, place } from "../../state/router.js";
import { useStore } from "../../state/store.js";
import { ArmForm } from "./arm-form.js";
import { BreakpointDrawer } from "./breakpoint-drawer.js";
import { BreakpointTable } from "./breakpoint-table.js";
import { Outcome, type ReleasedRun } from "./held-place.js";
import { HeldRun } from "./held-run.js";
import { nodesOf } from "./known-nodes.js";
import "./breakpoints.css";

export function BreakpointsView() {
  const held = useStore(paused);
  const changes = useStore(breakpointChanges);
  const open = useStore(place, ({ params }) => params.get("breakpoint"));
  const armed = useResource("breakpoints", api.breakpoints, 5000, changes);
  const routes = useResource("routes", api.routes);
  const asked = useResource("paused", askPaused, 5000);
  const [released, setReleased] = useState<readonly ReleasedRun[]>([]);
  const isKnown = asked.value !== undefined || held.length > 0;
  const nodes = useMemo(() => nodesOf(routes.value), [routes.value]);
  const selected = armed.value?.breakpoints.find(({ id }) => id === open);
  const show = (breakpoint: string | undefined) => choose({ breakpoint });
  return (
    <>
      <div class="view breakpoints">
        <div class="head">
          <h1>Breakpoints</h1>
          {armed.value !== undefined && (
            <span class="dim">
              {armed.value.breakpoints.length} of {armed.value.limit}
            </span>
          )}
        </div>
        <section aria-label="Held runs">
          {asked.problem !== undefined && <Wrong problem={asked.problem} onAgain={asked.reload} />}
          {!isKnown && asked.problem === undefined && <Loading what="the held runs" />}
          {isKnown && <h2>{held.length === 0 ? "No held runs" : `${counted(held.length, "run")} held`}</h2>}
          {isKnown && held.length === 0 && (
            <p class="dim">
              Set a breakpoint below: the next matching run is held here. Every hold ends after its time
              limit.
            </p>
          )}
          {held.map((run) => (
            <HeldRun
              key={run.id}
              run={run}
              onReleased={(one) =>
                setReleased((all) => [one, ...all.filter(({ run_id }) => run_id !== one.run_id)].slice(0, 5))
              }
            />
          ))}
          {released
            .filter(({ run_id }) => !held.some((run) => run.run_id === run_id))
            .map((one) => (
              <Outcome key={one.run_id} {...one} />
            ))}
        </section>
        <ArmForm nodes={nodes} onArmed={armed.reload} />
        {routes.problem !== undefined && <Wrong problem={routes.problem} onAgain={routes.reload} />}
        <BreakpointTable
          asked={armed}
          open={selected?.id}
          toggle={(id) => show(id === open ? undefined : id)}
        />
      </div>
      {selected !== undefined && (
        <BreakpointDrawer key={selected.id} breakpoint={selected} onClose={() => show(undefined)} />
      )}
    </>
  );
}

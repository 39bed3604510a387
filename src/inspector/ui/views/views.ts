// Maps a path to its view.

import { AlertsView } from "./alerts/alerts-view.js";
import { AuditView } from "./audit/audit-view.js";
import { BreakpointsView } from "./breakpoints/breakpoints-view.js";
import { CircuitView } from "./circuit/circuit-view.js";
import { CompareView } from "./compare/compare-view.js";
import { DeadView } from "./dead/dead-view.js";
import { HostsView } from "./hosts/hosts-view.js";
import { InFlightView } from "./in-flight/in-flight-view.js";
import { KeptRunView } from "./kept/kept-run-view.js";
import { KeptRunsView } from "./kept/kept-runs-view.js";
import { LiveView } from "./live/live-view.js";
import { NotFoundView } from "./not-found-view.js";
import { OverviewView } from "./overview/overview-view.js";
import { RunView } from "./run/run-view.js";
import { RunsView } from "./runs/runs-view.js";
import { SearchView } from "./search/search-view.js";
import { SendView } from "./send/send-view.js";
import { SystemView } from "./system/system-view.js";
import type { View } from "./view.js";

interface Named {
  readonly title: string;
  readonly View: View;
}

export function viewOf(path: readonly string[]): Named {
  const [first, second] = path;
  switch (first) {
    case undefined:
    case "overview":
      return { title: "Overview", View: OverviewView };
    case "circuits":
      return second === undefined
        ? { title: "Overview", View: OverviewView }
        : { title: second, View: CircuitView };
    case "runs":
      return second === undefined
        ? { title: "Runs", View: RunsView }
        : { title: `Run ${second}`, View: RunView };
    case "kept":
      return second === undefined
        ? { title: "Durable runs", View: KeptRunsView }
        : { title: `Durable run ${second}`, View: KeptRunView };
    case "in-flight":
      return { title: "Runs in flight", View: InFlightView };
    case "hosts":
      return { title: "Hosts", View: HostsView };
    case "compare":
      return { title: "Compare", View: CompareView };
    case "live":
      return { title: "Live", View: LiveView };
    case "breakpoints":
      return { title: "Breakpoints", View: BreakpointsView };
    case "dead":
      return { title: "Dead letters", View: DeadView };
    case "search":
      return { title: "Search", View: SearchView };
    case "send":
      return { title: "Send", View: SendView };
    case "alerts":
      return { title: "Alerts", View: AlertsView };
    case "audit":
      return { title: "Audit", View: AuditView };
    case "system":
      return { title: "System", View: SystemView };
    default:
      return { title: "Not found", View: NotFoundView };
  }
}

import type { Recorder } from "#core/recorder.js";
import type { Reporter } from "#core/reporter.js";
import type { Tracing } from "#telemetry/tracing/tracing.js";
import type { AnswerPolicy } from "./answer-policy.js";
import type { ClientReader } from "./client.js";
import type { IngressPlan } from "./ingress-plan.js";
import type { IngressSupply } from "./ingress-supply.js";
import type { Deadlines, Timetable } from "./native/deadlines.js";
import type { ObservationContext } from "./observation.js";

/** What the circuits of one ingress share. */
export interface CircuitContext {
  readonly production: boolean;
  readonly supply: IngressSupply;
  readonly reporter: Reporter;
  readonly recorder: Recorder | undefined;
  /** Where traces of its requests are kept; undefined where none is. */
  readonly tracing: Tracing | undefined;
  readonly bodyTimeoutMs: number;
  readonly bodyDeadlines: Deadlines;
  readonly deadlines: Timetable;
  readonly routeTimeoutMs: number;
  readonly bodyLimit: number;
  readonly clients: ClientReader;
  readonly guards: IngressPlan["guards"];
  readonly layers: IngressPlan["layers"];
  /** What goes with every answer of the ingress. */
  readonly policy: AnswerPolicy;
  readonly observation: ObservationContext;
  /** A route's requests, what no route serves, pages that none does, or nothing: its guards alone decide. */
  readonly serves: "route" | "fallback" | "page" | "nothing";
}

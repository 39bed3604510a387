// Compiles the routes of a starting ingress to circuits, with the circuits for requests without a
// route. Throws if a route cannot run.

import type { AnyKey } from "#core/bus/bus-key.js";
import type { Reporter } from "#core/bus/reporter.js";
import type { CountAnswer } from "#core/ports/answer-observer.js";
import { hideMarkedNames } from "#core/secrets/sensitive-names.js";
import type { Recorder } from "#core/timeline/recorder.js";
import { requireNoneMissing } from "#runtime/check/definite-assignment.js";
import { keysOf } from "#runtime/check/used-keys.js";
import type { Program } from "#runtime/compile/program.js";
import { requireDistinctNames } from "#runtime/run/bus-layout.js";
import { AnswerPolicy } from "../answer/answer-policy.js";
import { ClientReader } from "../client/client.js";
import type { Timetable } from "../native/deadlines.js";
import type { IngressPlan } from "../plan/ingress-plan.js";
import { missingOn, type RouteDefinition } from "../plan/route-definition.js";
import { axonsOf } from "../plan/web-socket-definition.js";
import { Router } from "../routing/router.js";
import { requireAllowedSignals } from "./checks/open-signals.js";
import { requireNoRequestBoundKeys } from "./checks/request-bound-keys.js";
import { sensitiveNames } from "./checks/sensitive-names.js";
import { Circuit } from "./circuit.js";
import type { CircuitContext } from "./circuit-context.js";
import { composed } from "./composition.js";
import { IngressSupply } from "./ingress-supply.js";
import type { RouteKind, RunningCircuit } from "./route-kind.js";
import { unrouted } from "./unrouted.js";

/** What counts and records every response and run of the ingress. */
export interface WatchingExtensions {
  readonly counts: readonly CountAnswer[];
  /** The server's recorder, which calls `own` first. */
  readonly recorderBeside: (own: Recorder | undefined) => Recorder | undefined;
}

export interface MountingParts {
  readonly plan: IngressPlan;
  /** Constants on the Bus of every run. */
  readonly constants: ReadonlyMap<AnyKey, unknown>;
  readonly deadlines: Timetable;
  readonly extensions: WatchingExtensions;
  readonly kinds: readonly RouteKind[];
}

export class MountedRoutes {
  readonly context: CircuitContext;
  readonly router: Router<Circuit>;
  /** Circuits of requests. */
  readonly own: readonly Circuit[];
  /** Circuits of requests and connections. */
  readonly all: readonly RunningCircuit[];
  /** Runs guards and observers for requests without a route; undefined without any. */
  readonly unrouted: Circuit | undefined;
  readonly fallback: Circuit | undefined;
  /** For page navigations, before the fallback. */
  readonly page: Circuit | undefined;
  readonly #reporter: Reporter;

  constructor({ plan, constants, deadlines, extensions, kinds }: MountingParts) {
    const { reporter, log, guards } = plan;
    const { counts } = extensions;
    const marked = sensitiveNames(plan);
    log.hide(marked);
    hideMarkedNames(marked);
    requireDistinctNames(keysOfPlan(plan), "The ingress");
    const context: CircuitContext = {
      ...plan,
      supply: new IngressSupply(constants, plan.provisions, log),
      recorder: extensions.recorderBeside(plan.recorder),
      bodyDeadlines: deadlines.of(plan.bodyTimeoutMs),
      deadlines,
      clients: new ClientReader(plan, plan.address, plan.tls === undefined ? "http" : "https"),
      policy: new AnswerPolicy(guards, log),
      observation: { log, reporter, counts },
      serves: "route",
    };
    requireAllowedSignals(plan);
    const circuits = plan.routes.map((route) => {
      const ofKind = kinds.map((kind) => kind.mounted(route, context)).find((made) => made !== undefined);
      return new Circuit(ofKind ?? route, context);
    });
    this.unrouted =
      guards.length > 0
        ? // Extensions count these requests: a scan would evict the recorded runs of routes.
          new Circuit(unrouted(), { ...context, recorder: plan.recorder, layers: [], serves: "nothing" })
        : undefined;
    this.fallback = plan.fallback && new Circuit(plan.fallback, { ...context, serves: "fallback" });
    this.page = plan.navigations && new Circuit(plan.navigations, { ...context, serves: "page" });
    const others = [this.unrouted, this.fallback, this.page].filter((circuit) => circuit !== undefined);
    this.own = [...circuits, ...others];
    this.all = [...this.own, ...kinds.flatMap((kind) => kind.circuits)];
    const behind = this.all.slice(circuits.length).flatMap(({ missing }) => missing);
    requireNoneMissing([...circuits.flatMap(missingOn), ...behind]);
    requireNoRequestBoundKeys([...new Set(this.all.flatMap(({ unkept }) => unkept))]);
    this.context = context;
    this.router = new Router(plan);
    for (const circuit of circuits) this.router.add(circuit);
    this.router.followGet(circuits.filter(({ behaviour }) => behaviour < 0));
    this.#reporter = reporter;
  }

  /** Number of runs awaiting a promise. */
  get running(): number {
    return this.all.reduce((sum, { waiting }) => sum + waiting, 0);
  }

  get programs(): readonly Program[] {
    return this.all.map(({ program }) => program);
  }

  /** Reports the runs and requests that a stopping server cuts. */
  reportCut(unanswered: number, detached: number, afterMs: number): void {
    const because = `they took longer than the ${afterMs} ms that stopping may take`;
    if (detached > 0) {
      const message = `${detached} kept runs without a client were cut, and stay unfinished: ${because}`;
      this.#reporter({ code: "RUN_CUT", message });
    }
    for (const { name, waiting } of this.all) {
      if (waiting === 0) continue;
      const message = `${waiting} of '${name}' were cut: ${because}`;
      this.#reporter({ code: "RUN_CUT", message, axon: name });
    }
    if (this.running > 0 || unanswered === 0) return;
    const message = `${unanswered} requests were cut whose bodies had not arrived, or whose answers were not taken: ${because}`;
    this.#reporter({ code: "RUN_CUT", message });
  }
}

function keysOfPlan(plan: IngressPlan): ReadonlySet<AnyKey> {
  const { resources, provisions, routes, fallback, navigations } = plan;
  const all = [...routes, fallback, navigations].filter((route) => route !== undefined);
  const used = all.flatMap((route) => [...keysOf(composed(route, plan)), ...keysOfConnections(route)]);
  return new Set([...resources, ...provisions.map(({ key }) => key), ...used]);
}

const keysOfConnections = ({ webSocket }: RouteDefinition): readonly AnyKey[] =>
  axonsOf(webSocket).flatMap((axon) => [...keysOf(axon)]);

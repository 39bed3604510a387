// The Inspector of one server. It is created before the circuits are compiled, begins before the
// server listens, and stops with it.

import type { AuditPublicKey } from "#audit/chain/signing-key.js";
import { mode } from "#core/mode.js";
import type { AuditSink } from "#core/ports/audit-sink.js";
import { routeInfos } from "#http/description/route-infos.js";
import type { HttpIngress } from "#http/ingress/ingress.js";
import type { Extension, ExtensionHost, StartedExtension } from "#http/plan/extension.js";
import type { IngressPlan } from "#http/plan/ingress-plan.js";
import { formatHostPort } from "#http/refusal/address.js";
import { type RunningServer, start } from "#http/serving/server.js";
import { builtFolder } from "#http/static/built-folder.js";
import { AuditList } from "./chain/audit-list.js";
import { ChainStatus } from "./chain/chain-status.js";
import { BearerAuth } from "./door/bearer-auth.js";
import { keptToken, newToken } from "./door/kept-token.js";
import { Tickets } from "./door/tickets.js";
import { inMemory } from "./in-memory.js";
import { Inspection } from "./inspection.js";
import { Observed } from "./observed.js";
import { OperatorLog } from "./operators/operator-log.js";
import { Search } from "./search/search.js";
import { capabilitiesOf, limitsOf } from "./server/capabilities.js";
import { endpointsOf } from "./server/endpoints.js";
import { inspectorIngress } from "./server/inspector-ingress.js";
import type { InspectorParts } from "./server/parts.js";
import { SchemaSamples } from "./server/schema-samples.js";
import { serviceOf, statusOf } from "./server/status.js";
import { type ResolvedSettings, resolvedSettings, type Settings } from "./settings.js";

/** Time for the Inspector's own server to stop. */
const STOP_MS = 2000;
/** Relative to the working directory. */
const TOKEN_FOLDER = ".framework";

/** An empty extension if the Inspector is disabled. Throws INSPECTOR_TOKEN_MISSING, CONFIG_INVALID. */
export function inspectorExtension(plan: IngressPlan, said: Settings): Extension {
  const settings = resolvedSettings(said, plan.production);
  if (!settings.enabled) return { name: "inspector" };
  const operators = operatorLog(plan, settings);
  const observed = new Observed(routeInfos(plan), settings, plan, operators);
  return {
    name: "inspector",
    recorder: observed.recorder,
    count: observed.count,
    forget: () => observed.forget(),
    start: (host) => begin({ plan, settings, observed, operators, host }),
  };
}

function operatorLog(plan: IngressPlan, { audit }: ResolvedSettings): OperatorLog {
  const { sink = plan.audit, onFailure = "log" } = audit;
  const info = (fields: object, message: string): void =>
    plan.log.logger.module("inspector").info(fields, message);
  return new OperatorLog({ sink, onFailure, info, reporter: plan.reporter });
}

/** Undefined without an audit log. */
function chainStatus({ sink: source }: OperatorLog, { audit }: ResolvedSettings): ChainStatus | undefined {
  if (source === undefined) return undefined;
  const { publicKeys } = source as { readonly publicKeys?: readonly AuditPublicKey[] };
  const { keys = publicKeys ?? [], anchor } = audit;
  return new ChainStatus({ source, keys, ...(anchor && { anchor }) });
}

/** Undefined without an audit log that can be queried. */
function auditList({ sink: source }: OperatorLog, { redactor }: Observed): AuditList | undefined {
  // A program may have a sink of its own.
  if (typeof (source as Partial<AuditSink> | undefined)?.query !== "function") return undefined;
  return new AuditList({ source: source as AuditSink, redactor });
}

async function begin(given: Omit<Inspecting, "inspection">): Promise<StartedExtension | undefined> {
  const { observed, settings, host } = given;
  const inspection = new Inspection(observed, host, settings);
  const inspecting = { ...given, inspection };
  // One address has one server: the first worker's, which asks the other workers.
  const own = host.worker === undefined || host.worker.number === 1 ? new OwnServer(inspecting) : undefined;
  // The endpoints of the other workers answer the first one.
  if (own === undefined) endpointsOf(partsOf(inspecting, []));
  try {
    await own?.listen();
  } catch (error) {
    inspection.stop();
    throw error;
  }
  return {
    listening: (url: string) => {
      own?.announce(url);
      void inspection.steering.begin();
    },
    stopping: () => observed.withdraw(),
    stop: async () => {
      try {
        inspection.stop();
      } finally {
        // Also after a failure: the Inspector must not outlive its service.
        await own?.close();
      }
    },
  };
}

interface Inspecting {
  readonly plan: IngressPlan;
  readonly settings: ResolvedSettings;
  readonly observed: Observed;
  readonly inspection: Inspection;
  readonly operators: OperatorLog;
  readonly host: ExtensionHost;
}

/** `addresses` are those of the server and of its Inspector. */
function partsOf(inspecting: Inspecting, addresses: readonly string[]): InspectorParts {
  const { plan, settings, observed, inspection, operators, host } = inspecting;
  const { store: traces, unmatched } = observed;
  const { deadLetters } = inspection;
  const runs = inspection.runs.isKept ? inspection.runs : undefined;
  const { mode: capture } = observed.capture;
  const parts = {
    peers: inspection.peers,
    tickets: new Tickets(),
    feed: observed.feed,
    circuits: observed.circuits,
    metrics: inspection.metrics,
    traces,
    search: new Search({ traces, unmatched, runs, deadLetters, capture }),
    unmatched,
    steering: inspection.steering,
    inFlight: observed.inFlight,
    stalls: observed.stalls,
    offload: observed.longSteps,
    alerts: inspection.alerts,
    deadLetters,
    runs,
    samples: new SchemaSamples(),
    relay: inspection.relay,
    rerun: inspection.rerun,
    audit: chainStatus(operators, settings),
    auditList: auditList(operators, observed),
    operators,
    watched: observed.watched,
    now: Date.now,
  };
  const status = statusOf({
    ...serviceOf(settings.config),
    profile: mode.profile ?? (mode.production ? "production" : "none"),
    production: mode.production,
    startedAt: Date.now(),
    config: settings.config,
    role: host.worker === undefined ? "alone" : "worker",
    capabilities: () => capabilitiesOf(plan, parts, settings),
    limits: limitsOf(plan),
    stores: () => observed.fill,
    addresses: () => [...addresses],
  });
  return { ...parts, status };
}

/** Only development servers store the token in a file: tests leave no file. */
const ownToken = (inMemory: boolean): string =>
  mode.profile === "dev" && !inMemory ? keptToken(TOKEN_FOLDER) : newToken();

/** The Inspector's own ingress and its address. */
class OwnServer {
  readonly #settings: ResolvedSettings;
  readonly #host: ExtensionHost;
  readonly #plan: IngressPlan;
  readonly #ingress: HttpIngress<never, never>;
  /** The generated token; undefined if the program configured authentication. */
  readonly #token: string | undefined;
  readonly #addresses: string[] = [];
  #server: RunningServer | undefined;

  constructor(inspecting: Inspecting) {
    const { plan, settings, host } = inspecting;
    this.#plan = plan;
    this.#settings = settings;
    this.#host = host;
    this.#token = settings.auth === undefined ? ownToken(host.inMemory) : undefined;
    this.#ingress = this.#made(
      inspecting,
      settings.auth ?? BearerAuth.tokens({ operator: this.#token ?? "" }),
    );
  }

  async listen(): Promise<void> {
    if (this.#host.inMemory) {
      inMemory.set(this.#plan.extensions, { ingress: this.#ingress, token: this.#token });
      return;
    }
    const { host, port } = this.#settings;
    this.#ingress.bind(formatHostPort(host, port));
    this.#server = await start(this.#ingress.plan, {});
    this.#addresses.push(this.#server.url);
  }

  /** Called when the inspected server listens. */
  announce(url: string): void {
    this.#addresses.unshift(url);
    const { announce } = this.#settings;
    if (this.#server === undefined) return;
    const link = `${this.#server.url}/${this.#token === undefined ? "" : `#token=${this.#token}`}`;
    if (announce !== undefined) announce(link);
    // Written to stdout, not logged: a log would keep the token.
    else if (this.#token !== undefined) process.stdout.write(`Inspector: ${link}\n`);
    else this.#host.log.logger.module("inspector").info({ url: this.#server.url }, "The Inspector listens");
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  #made(inspecting: Inspecting, auth: BearerAuth): HttpIngress<never, never> {
    const { allowedHosts, allowedOrigins } = this.#settings;
    const parts = partsOf(inspecting, this.#addresses);
    return inspectorIngress({
      auth,
      tickets: parts.tickets,
      // The host name of a TestApp's requests.
      allowedHosts: this.#host.inMemory ? [...allowedHosts, "test.local"] : allowedHosts,
      allowedOrigins,
      endpoints: endpointsOf(parts),
      feed: inspecting.observed.feed,
      reporter: this.#host.reporter,
      page: builtFolder("inspector", "ui"),
    })
      .gracefulShutdown(STOP_MS)
      .shutdownDelay(0)
      .drainIdle(0);
  }
}

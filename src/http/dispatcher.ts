// Takes each request from the native server through the gate and the router to
// its circuit. Nothing a request does throws past here: the engine would end the process.

import type { AnyKey } from "#core/bus-key.js";
import { FrameworkError } from "#core/errors.js";
import type { Reporter } from "#core/reporter.js";
import { requireDistinctNames } from "#runtime/bus-layout.js";
import { requireNoneMissing } from "#runtime/definite-assignment.js";
import { keysOf } from "#runtime/used-keys.js";
import { Circuit } from "./circuit.js";
import { internal } from "./fault-problem.js";
import type { IngressPlan } from "./ingress-plan.js";
import { IngressSupply } from "./ingress-supply.js";
import { BodyDeadlines } from "./native/body-deadlines.js";
import { Exchange, type ExchangeLedger } from "./native/exchange.js";
import { Gate } from "./native/gate.js";
import { nativeText } from "./native/native-text.js";
import type { NativeRequest, NativeResponse } from "./native/port.js";
import { sendFailure, sendRefusal } from "./problem-answer.js";
import { Refusal } from "./refusal.js";
import { clientRequestId } from "./request-id.js";
import { Router } from "./router.js";
import { statusBlock } from "./status-block.js";

const X_REQUEST_ID = nativeText("x-request-id");

export class Dispatcher {
  readonly deadlines: BodyDeadlines;
  readonly #gate = new Gate();
  readonly #router: Router<Circuit>;
  readonly #circuits: readonly Circuit[];
  readonly #ledger: ExchangeLedger;
  readonly #showsId: boolean;
  readonly #reporter: Reporter;
  readonly #production: boolean;
  readonly #bodyLimit: number;

  /** Compiles every route. Throws where one cannot run, and where a resource is missing. */
  constructor(plan: IngressPlan, resources: Readonly<Record<string, unknown>>, ledger: ExchangeLedger) {
    const { reporter, production, bodyLimit } = plan;
    this.deadlines = new BodyDeadlines(plan.bodyTimeoutMs);
    const supply = new IngressSupply(resourceValues(plan.resources, resources), plan.provisions);
    const context = {
      production,
      supply,
      reporter,
      recorder: plan.recorder,
      deadlines: this.deadlines,
      bodyLimit,
    };
    requireDistinctNames(keysOfPlan(plan), "The ingress");
    const circuits = plan.routes.map((route) => new Circuit(route, context));
    requireNoneMissing(circuits.flatMap((circuit) => circuit.missing));
    this.#router = new Router(plan);
    for (const circuit of circuits) this.#router.add(circuit);
    this.#router.followGet(circuits);
    this.#circuits = circuits;
    this.#ledger = ledger;
    this.#showsId = plan.requestIds;
    this.#reporter = reporter;
    this.#production = production;
    this.#bodyLimit = bodyLimit;
  }

  /** The native handler. Returns with the exchange answered, or with an abort handler attached. */
  handle(response: NativeResponse, request: NativeRequest, method: string): void {
    const exchange = new Exchange(response, this.#ledger);
    exchange.method = method;
    try {
      this.#dispatch(exchange, request);
    } catch (error) {
      const message = "The framework failed while it took a request";
      sendFailure(exchange, internal(message, error, this.#production));
      this.#reporter({ code: "INGRESS_FAILED", message, error, requestId: exchange.requestId });
    }
  }

  /** Names the runs that are still waiting, which nobody will answer. */
  reportCut(afterMs: number): void {
    for (const { name, waiting } of this.#circuits) {
      if (waiting === 0) continue;
      const message = `${waiting} of '${name}' were cut: they took longer than the ${afterMs} ms that stopping may take`;
      this.#reporter({ code: "RUN_CUT", message, axon: name });
    }
  }

  #dispatch(exchange: Exchange, request: NativeRequest): void {
    if (this.#showsId) {
      exchange.showsId = true;
      exchange.requestId = clientRequestId(request.getHeader(X_REQUEST_ID));
    }
    const refusal = this.#gate.pass(request, exchange);
    if (refusal !== null) {
      this.#refuse(exchange, refusal);
      return;
    }
    const found = this.#router.find(exchange);
    if (found instanceof Refusal) this.#answerUnrouted(exchange, found);
    else found.serve(exchange, request);
  }

  #answerUnrouted(exchange: Exchange, refusal: Refusal): void {
    const { allow } = refusal.headers;
    if (exchange.method === "OPTIONS" && allow !== undefined) {
      exchange.send(statusBlock(204, { allow }), null);
    } else {
      this.#refuse(exchange, refusal);
    }
  }

  /** A body nobody wants is read past, but not without an end. */
  #refuse(exchange: Exchange, refusal: Refusal): void {
    const ends = refusal.ends || exchange.bodyLength > this.#bodyLimit;
    sendRefusal(exchange, { ...refusal, ends });
  }
}

function keysOfPlan({ resources, provisions, routes }: IngressPlan): ReadonlySet<AnyKey> {
  const used = routes.flatMap((route) => [...keysOf(route.axon)]);
  return new Set([...resources, ...provisions.map(({ key }) => key), ...used]);
}

function resourceValues(
  keys: readonly AnyKey[],
  given: Readonly<Record<string, unknown>>,
): ReadonlyMap<AnyKey, unknown> {
  const missing = keys.filter((key) => given[key.name] === undefined).map((key) => `'${key.name}'`);
  if (missing.length > 0) {
    throw new FrameworkError(
      "RESOURCE_MISSING",
      `run() was not given ${missing.join(", ")}: pass { name: value } for each declared resource`,
    );
  }
  return new Map(keys.map((key) => [key, given[key.name]]));
}

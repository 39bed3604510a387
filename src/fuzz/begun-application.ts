// An application in this process, started for a sequence of requests. It does not listen, its log is
// discarded, and its reports are kept with the request that caused them.

import { setImmediate as turn } from "node:timers/promises";

import type { Report } from "#core/bus/reporter.js";
import type { IngressPlan } from "#http/plan/ingress-plan.js";
import { TestApp } from "#http/testing/test-app.js";
import type { TestResponse } from "#http/testing/test-response.js";
import { HandshakeRefused } from "#http/testing/test-socket.js";
import type { TestStream } from "#http/testing/test-stream.js";
import { LineOutput } from "#telemetry/logging/line-output.js";
import { LogSource } from "#telemetry/logging/log-source.js";
import { createLogger } from "#telemetry/logging/logger.js";
import { type FuzzedApplication, identitiesOf, ingressOf, resourcesOf } from "./application.js";
import type { Answer } from "./declared-answers.js";
import type { FuzzIdentities, FuzzIdentity } from "./fuzz-identity.js";
import { type FuzzRequest, headOf, sentAs, targetOf } from "./fuzz-request.js";
import { type FuzzedRoute, fuzzedRoutes, rowOf } from "./fuzzed-route.js";
import type { LoopWatch } from "./loop-watch.js";
import { slowness, started } from "./slowness.js";
import { type Violation, watched } from "./violation.js";

export const PATIENCE_MS = 5000;
export const SLOW_MS = 2000;
const MAX_ANSWER_BYTES = 1_048_576;
/** Time after which a run that hangs is aborted. */
const CLOSING_MS = 500;
const MAX_REPORTS = 20;
const SOCKET_FAILED = 1011;
/** Turns for steps that are asynchronous and wait for no outside event. */
const TURNS_A_MESSAGE = 5;

/** Both: some programs, such as tests, handle rejections themselves. */
const STRAYS = ["uncaughtException", "unhandledRejection"] as const;

/** Undefined if the response was not sent in time. */
export interface Exchanged {
  readonly status: number | undefined;
  readonly violation: Violation | undefined;
}

export interface Limits {
  /** Time limit of a response, in milliseconds. Default 5000. */
  readonly patienceMs?: number;
  /** A response after this time, in milliseconds, is a failure, and so is none. 0: neither is. Default 2000. */
  readonly slowMs?: number;
}

interface BeginOptions extends Limits {
  readonly watch?: LoopWatch | undefined;
  /** The compiled routes. A request of another one receives 404. */
  readonly only?: ReadonlySet<string>;
}

export class BegunApplication {
  readonly routes: ReadonlyMap<string, FuzzedRoute>;
  readonly identities: FuzzIdentities;
  readonly #app: TestApp<never>;
  readonly #reports: Report[];
  readonly #patienceMs: number;
  readonly #slowMs: number;
  readonly #watch: LoopWatch | undefined;

  private constructor(
    app: TestApp<never>,
    routes: readonly FuzzedRoute[],
    identities: FuzzIdentities,
    reports: Report[],
    { patienceMs = PATIENCE_MS, slowMs = SLOW_MS, watch }: BeginOptions,
  ) {
    this.#patienceMs = patienceMs;
    this.#slowMs = slowMs;
    this.#watch = watch;
    for (const event of STRAYS) process.on(event, this.#stray);
    this.#app = app;
    this.routes = new Map(routes.map((route) => [route.row, route]));
    this.identities = identities;
    this.#reports = reports;
  }

  /** Throws RESOURCE_MISSING, CONFIG_INVALID, and errors of the application's start. */
  static async begin(application: FuzzedApplication, options: BeginOptions = {}): Promise<BegunApplication> {
    const { only } = options;
    const whole = await ingressOf(application);
    const given = only === undefined ? whole : { plan: withRoutes(whole.plan, only) };
    const resources = await resourcesOf(application, given);
    const reports: Report[] = [];
    const reporter = (report: Report): void => void (reports.length < MAX_REPORTS && reports.push(report));
    const plan = {
      ...given.plan,
      reporter,
      log: unwritten,
      // Routes need this code loaded. It watches nothing here.
      extensions: given.plan.extensions.map(({ load }) => ({ load, make: () => ({ name: "unused" }) })),
      recorder: undefined,
      tracing: undefined,
      shutdownTimeoutMs: CLOSING_MS,
    };
    const app: TestApp<never> = new TestApp({ plan } as never, resources as never);
    try {
      await app.start();
      const identities = await identitiesOf(application, app);
      return new BegunApplication(app, fuzzedRoutes(given), identities, reports, options);
    } catch (error) {
      await app.close();
      throw error;
    }
  }

  readonly #stray = (error: unknown): void => {
    this.#reports.unshift({ code: "PROCESS_EXCEPTION", message: "", error });
  };

  async send(request: FuzzRequest): Promise<Exchanged> {
    const { as } = request;
    const route = this.routes.get(request.route);
    const identity = as === undefined ? {} : this.identities[as];
    if (route === undefined) throw new Error(`There is no route '${request.route}' any more`);
    if (identity === undefined) throw new Error(`There is no identity '${as}' any more`);
    this.#reports.length = 0;
    const check = watched(route, as, identity);
    const clock = started();
    this.#watch?.expect(request.route);
    const answer = await this.#answered(route, request, identity);
    const spent = clock();
    this.#watch?.expect(undefined);
    // An error of work that a run has left is thrown in a later turn.
    await turn();
    const late = slowness(route, answer === undefined ? undefined : spent, this.#slowMs, this.#patienceMs);
    if (answer === undefined) return { status: undefined, violation: late };
    return { status: answer.status, violation: check({ answer, reports: this.#reports }) ?? late };
  }

  async close(): Promise<void> {
    await this.#app.close();
    for (const event of STRAYS) process.off(event, this.#stray);
  }

  #answered(route: FuzzedRoute, request: FuzzRequest, identity: FuzzIdentity): Promise<Answer | undefined> {
    if (route.info.webSocket !== undefined) return this.#conversed(request, identity);
    return this.#read(request, identity);
  }

  async #read(request: FuzzRequest, identity: FuzzIdentity): Promise<Answer | undefined> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(LATE), this.#patienceMs);
    const sent = { ...sentAs(request, identity), signal: late.signal };
    const method = request.route.split(" ", 1)[0] as string;
    try {
      const stream = await this.#app.stream(targetOf(request), sent, method);
      const { status, headers } = stream;
      const isOpen = headers["content-type"]?.startsWith("text/event-stream") === true;
      if (isOpen) stream.leave();
      return { status, headers, body: isOpen ? undefined : await bodyOf(stream) };
    } catch (error) {
      return error === LATE ? undefined : CUT;
    } finally {
      clearTimeout(timer);
    }
  }

  /** A conversation that ends normally has the status 101. */
  async #conversed(request: FuzzRequest, identity: FuzzIdentity): Promise<Answer | undefined> {
    const target = targetOf(request);
    try {
      const socket = await this.#app.ws(target, headOf(request, identity));
      for (const message of request.messages ?? []) {
        socket.send(message);
        for (let turns = 0; turns < TURNS_A_MESSAGE; turns += 1) await turn();
      }
      const { code } = await socket.close();
      return { status: code === SOCKET_FAILED ? 500 : 101, headers: {}, body: undefined };
    } catch (error) {
      return error instanceof HandshakeRefused ? answerOf(error.response) : CUT;
    }
  }
}

/** A connection closed without a whole response. */
const CUT: Answer = { status: 0, headers: {}, body: undefined };
const LATE = new Error("The response did not come in time");

const withRoutes = (plan: IngressPlan, only: ReadonlySet<string>): IngressPlan => ({
  ...plan,
  routes: plan.routes.filter((route) => only.has(rowOf(route))),
});

const answerOf = ({ status, headers, bytes }: TestResponse): Answer => ({ status, headers, body: bytes });

async function bodyOf(stream: TestStream): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of stream) {
    pieces.push(piece);
    length += piece.length;
    if (length > MAX_ANSWER_BYTES) return undefined;
  }
  return stream.headers["content-encoding"] === undefined ? Buffer.concat(pieces) : undefined;
}

/** Builds lines as a server does, and discards them. */
const unwritten = new LogSource(() =>
  createLogger({ format: "json", level: "info", moduleLevels: {} }, new LineOutput((bytes) => bytes.length)),
);

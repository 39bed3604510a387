// What the guards of a route add to each of its responses: constant headers, CORS, observers. Computed
// once, and applied in the handler before any response. Origin is read for CORS guards alone.

import type { CorsPolicy, HeaderFields } from "#core/facts/response-facts.js";
import type { AnyGuard } from "#core/flow/guard.js";
import type { AccessLog, AnswerObserver } from "#core/ports/answer-observer.js";
import { settableHeader } from "#core/wire/header-syntax.js";
import type { AxonDefinition } from "#runtime/definition/axon-definition.js";
import { type ClientReader, ownOrigin } from "../client/client.js";
import { AnswerHeads, plainHeads } from "../exchange/answer-heads.js";
import type { Exchange } from "../exchange/exchange.js";
import type { NativeRequest } from "../native/port.js";
import { derived } from "../refusal/derived.js";

/** Created at first use. */
interface LogOfAnswers {
  readonly access: AccessLog;
}

export class AnswerPolicy {
  readonly cors: CorsPolicy | undefined;
  readonly observers: readonly AnswerObserver[];
  readonly isEmpty: boolean;
  readonly #guards: readonly AnyGuard[];
  readonly #log: LogOfAnswers;
  /** Whether responses are never compressed. */
  readonly #leavesAlone: boolean;
  readonly #heads: AnswerHeads;
  /** For https; the same object where that makes no difference. */
  readonly #secureHeads: AnswerHeads;

  /** `guards` in their order. Throws HEADER_INVALID. */
  constructor(guards: readonly AnyGuard[], log: LogOfAnswers, leavesAlone = false) {
    const always = mergedFields(guards.map(({ responseHeaders }) => responseHeaders?.always));
    const overHttps = mergedFields(guards.map(({ responseHeaders }) => responseHeaders?.overHttps));
    this.#guards = guards;
    this.#heads = isEmpty(always) ? plainHeads : new AnswerHeads(always);
    this.#secureHeads = isEmpty(overHttps) ? this.#heads : new AnswerHeads(mergedFields([always, overHttps]));
    this.cors = guards.findLast(({ cors }) => cors !== undefined)?.cors;
    this.observers = observersOf(guards, log);
    this.isEmpty = this.#heads === plainHeads && this.#secureHeads === plainHeads && this.cors === undefined;
    this.#log = log;
    this.#leavesAlone = leavesAlone;
  }

  /** Itself where these guards declare the same. */
  for(guards: readonly AnyGuard[]): AnswerPolicy {
    const declaring = guards.filter(declares);
    const own = this.#guards.filter(declares);
    const isSame =
      declaring.length === own.length &&
      declaring.every((guard, i) => declareAlike(guard, own[i] as AnyGuard));
    return isSame ? this : new AnswerPolicy(guards, this.#log);
  }

  /** The same without observers. */
  get unobserved(): AnswerPolicy {
    if (this.observers.length === 0) return this;
    const silent = this.#guards.map((guard) => derived(guard, { observer: undefined }));
    return new AnswerPolicy(silent, this.#log, this.#leavesAlone);
  }

  get uncompressed(): AnswerPolicy {
    return new AnswerPolicy(this.#guards, this.#log, true);
  }

  /** Sets the exchange's heads and lines. */
  apply(exchange: Exchange, request: NativeRequest, clients: ClientReader): void {
    exchange.heads = this.#headsFor(exchange, request, clients);
    exchange.lines = this.cors === undefined ? "" : linesFor(this.cors, exchange, request, clients);
    if (this.#leavesAlone) exchange.leaveAlone();
  }

  /** Returns whether the request was a preflight. */
  answerPreflight(exchange: Exchange, request: NativeRequest, clients: ClientReader): boolean {
    const { cors } = this;
    const { origin } = exchange;
    const method = request.getHeader("access-control-request-method");
    if (cors === undefined || origin === "" || method === "") return false;
    exchange.heads = this.#headsFor(exchange, request, clients);
    const headers = request.getHeader("access-control-request-headers");
    const lines = cors.preflight({
      origin,
      ownOrigin: originOf(exchange, request, clients),
      method,
      headers,
    });
    exchange.lines = "";
    exchange.send(exchange.heads.of(204, lines), null);
    return true;
  }

  #headsFor(exchange: Exchange, request: NativeRequest, clients: ClientReader): AnswerHeads {
    if (this.#heads === this.#secureHeads) return this.#heads;
    return clients.schemeOf(exchange, request) === "https" ? this.#secureHeads : this.#heads;
  }
}

/** The guards in front of an Axon and among its steps. */
export const guardsOf = ({ guards, steps }: AxonDefinition): readonly AnyGuard[] =>
  [...guards, ...steps].flatMap(({ transition }) =>
    transition.kind === "guard" ? [transition as AnyGuard] : [],
  );

/** Of the observers that write log lines only the innermost, and only if the log is enabled. */
function observersOf(guards: readonly AnyGuard[], log: LogOfAnswers): readonly AnswerObserver[] {
  const all = guards.flatMap(({ observer }) => observer ?? []);
  const writer = all.findLast(({ writesLine }) => writesLine);
  const writes = writer !== undefined && log.access.isEnabled;
  return all.filter((observer) => observer.writesLine !== true || (writes && observer === writer));
}

const declares = ({ responseHeaders, cors, observer }: AnyGuard): boolean =>
  responseHeaders !== undefined || cors !== undefined || observer !== undefined;

/** Guards may be copies that differ in `run` alone. */
const declareAlike = (a: AnyGuard, b: AnyGuard): boolean =>
  a.responseHeaders === b.responseHeaders && a.cors === b.cors && a.observer === b.observer;

const isEmpty = (fields: HeaderFields): boolean => Object.keys(fields).length === 0;

/** By lower-case name. The inner guard's value counts; `vary` is joined. */
function mergedFields(all: readonly (HeaderFields | undefined)[]): HeaderFields {
  const merged = new Map<string, string>();
  for (const [given, value] of all.flatMap((fields) => Object.entries(fields ?? {}))) {
    const name = settableHeader(given, "guard");
    const before = name === "vary" ? merged.get(name) : undefined;
    merged.set(name, before === undefined || before === value ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(merged);
}

function linesFor(
  cors: CorsPolicy,
  exchange: Exchange,
  request: NativeRequest,
  clients: ClientReader,
): string {
  const { origin } = exchange;
  return cors.linesFor(origin, origin === "" ? "" : originOf(exchange, request, clients));
}

const originOf = (exchange: Exchange, request: NativeRequest, clients: ClientReader): string =>
  ownOrigin(clients.schemeOf(exchange, request), exchange.host);

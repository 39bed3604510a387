// Headers, CORS and observers that a route's guards add to every response. Computed once, and applied
// in the handler before any response. The Origin header is read for CORS guards only.

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
  /** Never compresses responses. */
  readonly #leavesAlone: boolean;
  readonly #heads: AnswerHeads;
  /** Heads for https; the same object if https changes nothing. */
  readonly #secureHeads: AnswerHeads;

  /** `guards` are in the order in which they run. Throws HEADER_INVALID. */
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

  /** The policy of other guards; `this` if they declare the same. */
  for(guards: readonly AnyGuard[]): AnswerPolicy {
    const declaring = guards.filter(declares);
    const own = this.#guards.filter(declares);
    const isSame =
      declaring.length === own.length &&
      declaring.every((guard, i) => declareAlike(guard, own[i] as AnyGuard));
    return isSame ? this : new AnswerPolicy(guards, this.#log);
  }

  /** The policy without observers. */
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

  /** Answers a preflight. Returns false if the request is not a preflight, or no guard has CORS rules. */
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

/** The guards before an Axon and among its steps. */
export const guardsOf = ({ guards, steps }: AxonDefinition): readonly AnyGuard[] =>
  [...guards, ...steps].flatMap(({ transition }) =>
    transition.kind === "guard" ? [transition as AnyGuard] : [],
  );

/** Observers of the guards. Of those that write log lines, only the innermost, and only if the log is enabled. */
function observersOf(guards: readonly AnyGuard[], log: LogOfAnswers): readonly AnswerObserver[] {
  const all = guards.flatMap(({ observer }) => observer ?? []);
  const writer = all.findLast(({ writesLine }) => writesLine);
  const writes = writer !== undefined && log.access.isEnabled;
  return all.filter((observer) => observer.writesLine !== true || (writes && observer === writer));
}

const declares = ({ responseHeaders, cors, observer }: AnyGuard): boolean =>
  responseHeaders !== undefined || cors !== undefined || observer !== undefined;

/** True for copies of one guard that differ in `run` only. */
const declareAlike = (a: AnyGuard, b: AnyGuard): boolean =>
  a.responseHeaders === b.responseHeaders && a.cors === b.cors && a.observer === b.observer;

const isEmpty = (fields: HeaderFields): boolean => Object.keys(fields).length === 0;

/** Headers by lower-case name. An inner guard's value replaces an outer one; `vary` is joined. */
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

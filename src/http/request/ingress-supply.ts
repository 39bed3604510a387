// Values that an ingress puts on the Bus of its runs: resources, facts of the request and provided
// values. A circuit gets those that its steps declare.

import type { AnyKey } from "#core/bus/bus-key.js";
import { FailureLog, Log, type LogWriter } from "#core/bus/log.js";
import { FrameworkError } from "#core/errors.js";
import {
  ClientIdentity,
  ClientIp,
  OwnOrigin,
  PathParams,
  QueryParams,
  RequestHeaders,
  RequestId,
  RequestMethod,
  RequestOrigin,
  RequestPath,
  RequestQuery,
  RequestScheme,
  TraceContext,
  VerifiedIdentity,
} from "#core/facts/ingress-facts.js";
import { WebSocketConnection } from "#core/facts/web-socket.js";
import { IamToken } from "#core/iam/iam-identity.js";
import type { Lazy, LazyRun, Supply } from "#runtime/run/bus-layout.js";
import type { Instruction } from "#runtime/run/instruction.js";
import type { LogSource } from "#telemetry/logging/log-source.js";
import { ofRequest } from "#telemetry/logging/logger.js";
import { counted } from "#telemetry/logging/repeated-reports.js";
import { SealedCookieKey } from "../answer/cookies/sealed-cookie.js";
import { type Client, clientIdentity, ownOrigin, verifiedIdentity } from "../client/client.js";
import type { Exchange } from "../exchange/exchange.js";
import { newRequestId } from "../exchange/request-id.js";
import { MEANT_IF_EMPTY } from "../native/head-fields.js";
import type { Provision } from "../plan/provision.js";
import { cookiePackage } from "../refusal/cookie-package.js";
import { type Pattern, parameterAt, parametersOf } from "../routing/pattern.js";
import { Answered } from "./header-steps.js";
import { ProvidedValue } from "./provided-value.js";
import { NoRoute } from "./unrouted.js";

export interface CircuitSupply {
  readonly supply: Supply;
  /** Steps that make provided values, by key. */
  readonly awaited: ReadonlyMap<AnyKey, Instruction["step"]>;
  readonly facts: ReadonlyMap<AnyKey, Fact>;
  /** Request headers to fetch, by index. */
  readonly headers: readonly string[];
  readonly fetches: boolean;
  readonly readsRequestId: boolean;
  readonly readsTrace: boolean;
  /** True if observers read the trace, if one exists. */
  readonly tellsTrace: boolean;
  readonly readsClient: boolean;
  readonly readsScheme: boolean;
  readonly readsQuery: boolean;
  readonly readsHead: boolean;
  /** True if its runs may have disposals. */
  readonly disposes: boolean;
  /** Keys with a value before the first step. */
  readonly given: readonly AnyKey[];
}

/** The supply for runs of a connection's messages. */
export interface ConnectionSupply extends Pick<CircuitSupply, "supply" | "awaited" | "disposes" | "given"> {
  /** Keys that these runs read of the Bus of `open`, by index. */
  readonly kept: readonly AnyKey[];
}

interface ConnectionRequest {
  readonly connection: { readonly values: readonly unknown[] };
}

export class IngressSupply {
  readonly #resources: ReadonlyMap<AnyKey, unknown>;
  readonly #provisions: ReadonlyMap<AnyKey, Provision>;
  readonly #provided = new Map<AnyKey, ProvidedValue>();

  readonly #log: LogSource;

  constructor(resources: ReadonlyMap<AnyKey, unknown>, provisions: readonly Provision[], log: LogSource) {
    this.#resources = resources;
    this.#log = log;
    this.#provisions = new Map(provisions.map((provision) => [provision.key, provision]));
    for (const provision of provisions) this.#provide(provision, []);
  }

  /** The supply for steps that declare the keys `used`, and for observers of the facts `told`. */
  for(used: Iterable<AnyKey>, pattern: Pattern, told: readonly AnyKey[] = []): CircuitSupply {
    const headers: string[] = [];
    const lazy = new Map<AnyKey, Lazy>();
    const facts = new Map<AnyKey, Fact>();
    const awaited = new Map<AnyKey, Instruction["step"]>();
    const read = this.#withDependencies(used);
    for (const key of new Set([...read, ...told])) {
      const provided = this.#provided.get(key);
      const fact = provided === undefined ? this.#factOf(key, pattern, headers) : undefined;
      if (provided !== undefined) {
        lazy.set(key, provided.lazy);
        awaited.set(key, provided.step);
      } else if (fact !== undefined) {
        facts.set(key, fact);
        lazy.set(key, (run) => fact(run.request as Exchange));
      }
    }
    if (facts.has(ClientIdentity)) this.#verify(lazy, awaited);
    return {
      ...this.#supplied(lazy, awaited),
      facts,
      headers,
      fetches: lazy.size > 0,
      readsRequestId: lazy.has(RequestId),
      readsTrace: read.has(TraceContext),
      tellsTrace: told.includes(TraceContext),
      readsClient: lazy.has(ClientIp) || lazy.has(ClientIdentity),
      readsScheme: lazy.has(RequestScheme) || lazy.has(OwnOrigin),
      readsQuery: lazy.has(QueryParams),
      readsHead: lazy.has(RequestHeaders),
    };
  }

  #supplied(
    lazy: ReadonlyMap<AnyKey, Lazy>,
    awaited: CircuitSupply["awaited"],
  ): Omit<ConnectionSupply, "kept"> {
    return {
      supply: { constants: this.#resources, lazy },
      awaited,
      disposes: [...awaited.keys()].some((key) => this.#provisions.get(key)?.dispose !== undefined),
      given: [...this.#resources.keys(), ...lazy.keys()],
    };
  }

  /** Provided values are made per run. Facts and values that steps wrote are those of the handshake. */
  forConnection(used: Iterable<AnyKey>): ConnectionSupply {
    const kept: AnyKey[] = [];
    const lazy = new Map<AnyKey, Lazy>();
    const awaited = new Map<AnyKey, Instruction["step"]>();
    for (const key of this.#withProvided(used)) {
      const provided = this.#provided.get(key);
      if (provided !== undefined) {
        lazy.set(key, provided.lazy);
        awaited.set(key, provided.step);
      } else if (key === WebSocketConnection) {
        lazy.set(key, ({ request }) => (request as ConnectionRequest).connection);
      } else if (!this.#resources.has(key)) {
        const index = kept.push(key) - 1;
        lazy.set(key, ({ request }) => (request as ConnectionRequest).connection.values[index]);
      }
    }
    return { ...this.#supplied(lazy, awaited), kept };
  }

  /** Makes the verified identity the client's identity. */
  #verify(lazy: Map<AnyKey, Lazy>, awaited: Map<AnyKey, Instruction["step"]>): void {
    const unverified = lazy.get(ClientIdentity) as Lazy;
    lazy.set(ClientIdentity, (run) => {
      const verified = verifiedIn(run);
      if (verified === undefined) return unverified(run);
      const identity = verifiedIdentity(verified);
      // Observers have the request only, not the Bus.
      (run.request as Exchange).observation?.keep(ClientIdentity, identity);
      return identity;
    });
    const provided = awaited.get(VerifiedIdentity);
    if (provided !== undefined) awaited.set(ClientIdentity, provided);
  }

  /** `path` holds the provisions that lead to this one, to detect circles. */
  #provide(provision: Provision, path: readonly Provision[]): ProvidedValue {
    const known = this.#provided.get(provision.key);
    if (known !== undefined) return known;
    if (path.includes(provision)) {
      const names = [...path, provision].map(({ key }) => `'${key.name}'`).join(" reads ");
      throw new FrameworkError(
        "PROVIDE_INVALID",
        `Provided values read each other: ${names}; break the circle`,
      );
    }
    const reads = provision.reads.flatMap((key) => this.#provisions.get(key) ?? []);
    const provided = new ProvidedValue(
      provision,
      reads.map((read) => this.#provide(read, [...path, provision])),
    );
    this.#provided.set(provision.key, provided);
    return provided;
  }

  #withDependencies(used: Iterable<AnyKey>): ReadonlySet<AnyKey> {
    return this.#withProvided(used, NEEDED);
  }

  #withProvided(used: Iterable<AnyKey>, needed?: typeof NEEDED): ReadonlySet<AnyKey> {
    const all = new Set(used);
    // The iteration includes keys that the loop adds.
    for (const key of all) {
      const reads = this.#provisions.get(key)?.reads ?? needed?.get(key) ?? [];
      for (const read of reads) all.add(read);
    }
    return all;
  }

  /** Undefined for a key that is not a fact of this route. */
  #factOf(key: AnyKey, pattern: Pattern, headers: string[]): Fact | undefined {
    if (key === Log) return (exchange) => this.#logOf(exchange);
    if (key === FailureLog)
      return (exchange) => {
        // The problem document must have the same id.
        exchange.requestId ||= newRequestId();
        return counted(this.#logOf(exchange), this.#log.repetitions);
      };
    return factOf(key, pattern, headers);
  }

  #logOf({ requestId, particulars: { trace } }: Exchange): LogWriter {
    const ids = { request_id: requestId, trace_id: trace?.traceId, span_id: trace?.spanId };
    return ofRequest(this.#log.logger.child(ids));
  }
}

/** Facts that other facts are computed from. */
const NEEDED = new Map<AnyKey, readonly AnyKey[]>([
  [Log, [RequestId, TraceContext]],
  [ClientIdentity, [VerifiedIdentity]],
]);

/** The verified identity, written by a step or provided. Slot 0 belongs to no key (B1). */
function verifiedIn(run: LazyRun): string | undefined {
  const slot = run.table[VerifiedIdentity.slot] ?? 0;
  return slot === 0 ? undefined : ((run.values[slot] ?? run.make(VerifiedIdentity)) as string | undefined);
}

export type Fact = (exchange: Exchange) => unknown;

const FACTS = new Map<AnyKey, (pattern: Pattern) => Fact>([
  [NoRoute, () => (exchange) => exchange.particulars.refusal],
  [Answered, () => (exchange) => exchange],
  [RequestId, () => (exchange) => exchange.requestId],
  [TraceContext, () => (exchange) => exchange.particulars.trace ?? undefined],
  [ClientIp, () => (exchange) => exchange.particulars.client?.ip],
  [ClientIdentity, () => (exchange) => clientIdentity(exchange.particulars.client as Client)],
  [RequestScheme, () => (exchange) => exchange.particulars.scheme],
  [RequestOrigin, () => (exchange) => exchange.origin || undefined],
  [
    OwnOrigin,
    () =>
      ({ particulars: { scheme }, host }) =>
        host === "" ? undefined : ownOrigin(scheme, host),
  ],
  [RequestMethod, () => (exchange) => exchange.method],
  [RequestPath, () => (exchange) => exchange.path],
  [RequestQuery, () => (exchange) => exchange.query],
  [PathParams, (pattern) => (exchange) => parametersOf(pattern, exchange.segments)],
  [QueryParams, () => (exchange) => exchange.particulars.parameters],
  [RequestHeaders, () => (exchange) => exchange.particulars.head],
]);

function factOf(key: AnyKey, pattern: Pattern, headers: string[]): Fact | undefined {
  const known = FACTS.get(key);
  if (known !== undefined) return known(pattern);
  if (key === IamToken) return header("authorization", headers, bearerToken);
  if (key instanceof SealedCookieKey) return header("cookie", headers, (value) => key.read(value));
  const [, source, name = ""] = /^(header|cookie|param):(.+)$/s.exec(key.name) ?? [];
  if (source === "header") return header(name, headers, (value) => value);
  if (source === "cookie") return cookie(name, headers);
  const index = source === "param" ? pattern.names.indexOf(name) : -1;
  return index < 0 ? undefined : (exchange) => parameterAt(pattern, index, exchange.segments);
}

function header(name: string, headers: string[], read: (value: string) => unknown): Fact {
  if (!headers.includes(name)) headers.push(name);
  const index = headers.indexOf(name);
  const isMeantIfEmpty = MEANT_IF_EMPTY.has(name);
  return (exchange) => {
    const value = exchange.particulars.headers[index];
    return value === undefined || (value === "" && !isMeantIfEmpty) ? undefined : read(value);
  };
}

function cookie(name: string, headers: string[]): Fact {
  const { parse } = cookiePackage();
  return header("cookie", headers, (value) => parse(value)[name]);
}

// RFC 6750, section 2.1. The scheme is case-insensitive (RFC 9110, section 11.1).
const BEARER = /^bearer +(.*)$/is;
/** Fast path for the usual spelling: half the time. */
const USUAL = "Bearer ";

/** The token; undefined for another scheme. */
const bearerToken = (field: string): string | undefined =>
  field.startsWith(USUAL) && field[USUAL.length] !== " "
    ? field.slice(USUAL.length)
    : BEARER.exec(field)?.[1];

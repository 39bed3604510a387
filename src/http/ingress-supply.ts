// What an ingress puts on the Bus of its runs: resources, the facts of the
// request, and what `provide` makes. A circuit gets those that its steps declare.

import { createRequire } from "node:module";
import type * as Cookie from "cookie";

import type { AnyKey } from "#core/bus-key.js";
import { FrameworkError } from "#core/errors.js";
import { PathParams, QueryParams, RequestId, RequestMethod, RequestPath } from "#core/ingress-facts.js";
import type { Lazy, Supply } from "#runtime/bus-layout.js";
import type { Instruction } from "#runtime/instruction.js";
import type { Exchange } from "./native/exchange.js";
import { type Pattern, parameterAt, parametersOf } from "./pattern.js";
import { ProvidedValue, type Provision } from "./provided-value.js";

// Loaded at the first route that reads a cookie.
const require = createRequire(import.meta.url);

/** What one circuit is given. */
export interface CircuitSupply {
  readonly supply: Supply;
  /** What runs before the steps that declare a provided value. */
  readonly awaited: ReadonlyMap<AnyKey, Instruction["step"]>;
  /** The request headers to fetch, in the order in which the exchange keeps them. */
  readonly headers: readonly string[];
  readonly readsRequestId: boolean;
  readonly readsQuery: boolean;
  /** Every key that has a value before the first step. */
  readonly given: readonly AnyKey[];
}

export class IngressSupply {
  readonly #resources: ReadonlyMap<AnyKey, unknown>;
  readonly #provisions: ReadonlyMap<AnyKey, Provision>;
  readonly #provided = new Map<AnyKey, ProvidedValue>();

  constructor(resources: ReadonlyMap<AnyKey, unknown>, provisions: readonly Provision[]) {
    this.#resources = resources;
    this.#provisions = new Map(provisions.map((provision) => [provision.key, provision]));
    for (const provision of provisions) this.#provide(provision, []);
  }

  /** What a circuit is given whose steps declare the keys `used`. */
  for(used: Iterable<AnyKey>, pattern: Pattern): CircuitSupply {
    const headers: string[] = [];
    const lazy = new Map<AnyKey, Lazy>();
    const awaited = new Map<AnyKey, Instruction["step"]>();
    for (const key of this.#withDependencies(used)) {
      const provided = this.#provided.get(key);
      const fact = provided === undefined ? factOf(key, pattern, headers) : undefined;
      if (provided !== undefined) {
        lazy.set(key, provided.lazy);
        awaited.set(key, provided.step);
      } else if (fact !== undefined) lazy.set(key, (run) => fact(run.request as Exchange));
    }
    return {
      supply: { constants: this.#resources, lazy },
      awaited,
      headers,
      readsRequestId: lazy.has(RequestId),
      readsQuery: lazy.has(QueryParams),
      given: [...this.#resources.keys(), ...lazy.keys()],
    };
  }

  /** `path` leads to it from the one that is being made ready: none may stand there twice. */
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
    const all = new Set(used);
    // A Set's iteration goes on with what is added meanwhile.
    for (const key of all) for (const read of this.#provisions.get(key)?.reads ?? []) all.add(read);
    return all;
  }
}

type Fact = (exchange: Exchange) => unknown;

const FACTS = new Map<AnyKey, (pattern: Pattern) => Fact>([
  [RequestId, () => (exchange) => exchange.requestId],
  [RequestMethod, () => (exchange) => exchange.method],
  [RequestPath, () => (exchange) => exchange.path],
  [PathParams, (pattern) => (exchange) => parametersOf(pattern, exchange.segments)],
  [QueryParams, () => (exchange) => exchange.parameters],
]);

/** How a key's value is read from a request; undefined for keys that are no facts of this route. */
function factOf(key: AnyKey, pattern: Pattern, headers: string[]): Fact | undefined {
  const known = FACTS.get(key);
  if (known !== undefined) return known(pattern);
  const [, source, name = ""] = /^(header|cookie|param):(.+)$/s.exec(key.name) ?? [];
  if (source === "header") return header(name, headers, (value) => value);
  if (source === "cookie") return cookie(name, headers);
  const index = source === "param" ? pattern.names.indexOf(name) : -1;
  return index < 0 ? undefined : (exchange) => parameterAt(pattern, index, exchange.segments);
}

function header(name: string, headers: string[], read: (value: string) => unknown): Fact {
  if (!headers.includes(name)) headers.push(name);
  const index = headers.indexOf(name);
  return (exchange) => {
    const value = exchange.headers[index] as string;
    return value === "" ? undefined : read(value);
  };
}

function cookie(name: string, headers: string[]): Fact {
  const { parse } = require("cookie") as typeof Cookie;
  return header("cookie", headers, (value) => parse(value)[name]);
}

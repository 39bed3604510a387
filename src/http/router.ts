// Finds the route of a request: a Map from the raw path for routes without
// parameters, a tree over decoded segments for the rest. The native router is not
// used: it scans, and matches undecoded bytes.

import { FrameworkError } from "#core/errors.js";
import { decodePath, INVALID_PATH } from "./native/path-decoding.js";
import { type Pattern, parsePattern } from "./pattern.js";
import { Refusal } from "./refusal.js";
import { RouteTree } from "./route-tree.js";

export interface Routed {
  readonly method: string;
  readonly pattern: Pattern;
}

export interface RouterOptions {
  /** Whether `/a` and `/a/` are one path. Default "strict": they are two. */
  readonly trailingSlash?: "strict" | "ignore";
}

/** What a router reads of a request, and where it leaves what it decoded. */
export interface Target {
  readonly method: string;
  readonly path: string;
  /** The decoded segments of the path, set where a route has parameters. */
  segments: readonly string[];
}

interface Table<R> {
  readonly exact: Map<string, R>;
  readonly tree: RouteTree<R>;
}

const NOT_FOUND = new Refusal("NOT_FOUND");
const ASCII = /^[!-~]*$/;

export class Router<R extends Routed> {
  readonly #getTable: Table<R> = { exact: new Map(), tree: new RouteTree() };
  readonly #tables = new Map([["GET", this.#getTable]]);
  readonly #ignoresSlash: boolean;

  constructor(options: RouterOptions = {}) {
    this.#ignoresSlash = options.trailingSlash === "ignore";
  }

  /** Throws ROUTE_CONFLICT where a route matches the same requests equally. */
  add(route: R): void {
    const known = this.#insert(route.method, route);
    if (known === undefined) return;
    throw new FrameworkError(
      "ROUTE_CONFLICT",
      `${route.method} ${route.pattern.text} and ${route.method} ${known.pattern.text} match the same requests: remove one, or change its path`,
    );
  }

  /** Lets HEAD follow GET where it has no route of its own. To be called after the last `add`. */
  followGet(routes: Iterable<R>): void {
    for (const route of routes) if (route.method === "GET") this.#insert("HEAD", route);
  }

  /** The route, or why there is none: 400, 404, or 405 with `Allow`. */
  find(target: Target): R | Refusal {
    // Comparing is cheaper than hashing a string that the engine has just made.
    const table = target.method === "GET" ? this.#getTable : this.#tables.get(target.method);
    return table?.exact.get(target.path) ?? this.#search(target, table);
  }

  /** The methods of a path, as `Allow` lists them; "" for an unknown path. */
  allowed(path: string): string {
    const decoded = decodePath(path);
    if (decoded instanceof Refusal) return "";
    const methods = [...this.#tables].flatMap(([method, { tree }]) => {
      const route = tree.find(decoded.segments);
      return route !== undefined && takes(route, decoded.separated) ? [method] : [];
    });
    return methods.length === 0 ? "" : [...new Set([...methods, "OPTIONS"])].sort().join(", ");
  }

  #search(target: Target, table: Table<R> | undefined): R | Refusal {
    const decoded = decodePath(target.path);
    if (decoded instanceof Refusal) return decoded;
    const { segments, separated } = decoded;
    const route = table?.tree.find(segments);
    if (route !== undefined && takes(route, separated)) {
      target.segments = segments;
      return route;
    }
    const allow = this.allowed(target.path);
    if (allow !== "") return new Refusal("METHOD_NOT_ALLOWED", { headers: { allow } });
    return separated.length === 0 ? NOT_FOUND : INVALID_PATH;
  }

  /** Answers the route that is there already where an equal one is. */
  #insert(method: string, route: R): R | undefined {
    const { pattern } = route;
    const table = this.#tableOf(method);
    for (const text of this.#spellings(pattern)) {
      const known = table.tree.add(parsePattern(text), route);
      if (known !== undefined) return known;
      if (pattern.names.length === 0 && ASCII.test(text)) table.exact.set(text, route);
    }
    return undefined;
  }

  #tableOf(method: string): Table<R> {
    let table = this.#tables.get(method);
    if (table === undefined) {
      table = { exact: new Map(), tree: new RouteTree() };
      this.#tables.set(method, table);
    }
    return table;
  }

  #spellings({ text, segments }: Pattern): readonly string[] {
    if (!this.#ignoresSlash || segments.at(-1)?.kind === "rest" || text === "/") return [text];
    return text.endsWith("/") ? [text, text.slice(0, -1)] : [text, `${text}/`];
  }
}

/** Whether no slash that was encoded as part of a segment could become a separator for whoever reads it later. */
const takes = ({ pattern }: Routed, separated: readonly number[]): boolean =>
  separated.every((i) => pattern.segments[i]?.kind === "param");

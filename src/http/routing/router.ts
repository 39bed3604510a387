// Routes requests with a Map of raw paths for routes without parameters, and a tree over decoded
// segments for the others. The engine's router scans linearly and matches undecoded bytes.

import { FrameworkError } from "#core/errors.js";
import { type DecodedPath, decodePath, INVALID_PATH } from "../native/path-decoding.js";
import { Refusal } from "../refusal/refusal.js";
import { literalText, type Pattern, parsePattern } from "./pattern.js";

export interface Routed {
  readonly method: string;
  readonly pattern: Pattern;
}

export interface RouterOptions {
  /** With "ignore", `/a` and `/a/` are one path. Default "strict": two paths. */
  readonly trailingSlash?: "strict" | "ignore";
}

export interface Target {
  readonly method: string;
  /** `find` writes a slash for each encoded one that the route takes as such. */
  path: string;
  /** Set by `find` if the route has parameters. */
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

  /** Throws ROUTE_CONFLICT if an equal route exists. */
  add(route: R): void {
    const known = this.#insert(route.method, route);
    if (known === undefined) return;
    throw new FrameworkError(
      "ROUTE_CONFLICT",
      `${route.method} ${route.pattern.text} and ${route.method} ${known.pattern.text} match the same requests: remove one, or change its path`,
    );
  }

  /** Serves HEAD by GET routes. Call it after the last `add`. */
  followGet(routes: Iterable<R>): void {
    for (const route of routes) if (route.method === "GET") this.#insert("HEAD", route);
  }

  /** Returns the route, or a refusal: 400, 404, or 405 with `Allow`. */
  find(target: Target): R | Refusal {
    // Comparing is cheaper than hashing a new string.
    const table = target.method === "GET" ? this.#getTable : this.#tables.get(target.method);
    return table?.exact.get(target.path) ?? this.#search(target, table);
  }

  /** Value of `Allow`; "" for an unknown path. */
  allowed(path: string): string {
    const decoded = decodePath(path);
    if (decoded instanceof Refusal) return "";
    const methods = [...this.#tables].flatMap(([method, { tree }]) => {
      const route = tree.find(decoded.segments);
      return route !== undefined && takes(route, decoded) ? [method] : [];
    });
    return methods.length === 0 ? "" : [...new Set([...methods, "OPTIONS"])].sort().join(", ");
  }

  #search(target: Target, table: Table<R> | undefined): R | Refusal {
    const decoded = decodePath(target.path);
    if (decoded instanceof Refusal) return decoded;
    const { segments, separated } = decoded;
    const route = table?.tree.find(segments);
    if (route !== undefined && takes(route, decoded)) {
      target.segments = segments;
      if (separated.length > 0 && route.pattern.takesEncodedSlashes)
        target.path = withSlashes(target.path, route.pattern);
      return route;
    }
    if (route?.pattern.takesEncodedSlashes === true) return INVALID_PATH;
    const allow = this.allowed(target.path);
    if (allow !== "") return new Refusal("METHOD_NOT_ALLOWED", { headers: { allow } });
    return separated.length === 0 ? NOT_FOUND : INVALID_PATH;
  }

  /** Returns an existing equal route instead of inserting. */
  #insert(method: string, route: R): R | undefined {
    const { pattern } = route;
    const table = this.#tableOf(method);
    for (const text of this.#spellings(pattern)) {
      const known = table.tree.add(parsePattern(text), route);
      if (known !== undefined) return known;
      if (pattern.names.length === 0 && ASCII.test(text)) table.exact.set(literalText(text), route);
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

/** True if encoded slashes occur in parameters only: elsewhere a step could read one as a separator. */
function takes({ pattern }: Routed, { segments, separated }: DecodedPath): boolean {
  const { takesEncodedSlashes } = pattern;
  const from = takesEncodedSlashes ? pattern.segments.length - 1 : Number.POSITIVE_INFINITY;
  return (
    separated.every((i) => i >= from || pattern.segments[i]?.kind === "param") &&
    (!takesEncodedSlashes || isPlainRest(segments.slice(from).join("/")))
  );
}

// A step that joins the rest to a folder would leave it.
const isPlainRest = (rest: string): boolean =>
  rest === "" || (!rest.includes("\\") && rest.split("/").every((segment) => !/^\.{0,2}$/.test(segment)));

/** The path as the client would have sent it with slashes: guards compare it. */
const withSlashes = (path: string, { segments }: Pattern): string => {
  const parts = path.split("/");
  // The path begins with a slash.
  const rest = parts.splice(segments.length);
  return [...parts, ...rest.map((part) => part.replace(/%2f/gi, "/"))].join("/");
};

interface Node<T> {
  readonly statics: Map<string, Node<T>>;
  param: Node<T> | undefined;
  /** Value of a pattern that ends here. */
  leaf: T | undefined;
  /** Value of a pattern with a rest parameter here, which may be empty. */
  rest: T | undefined;
}

/** At each segment a static match precedes a parameter, and that precedes a rest; with backtracking. No node is visited twice. */
class RouteTree<T> {
  readonly #root: Node<T> = emptyNode();

  /** Returns the value of an existing equal pattern instead of adding. */
  add(pattern: Pattern, value: T): T | undefined {
    let node = this.#root;
    for (const segment of pattern.segments) {
      if (segment.kind === "rest") {
        const known = node.rest;
        node.rest ??= value;
        return known;
      }
      if (segment.kind === "param") node = node.param ??= emptyNode();
      else node = childOf(node, segment.text);
    }
    const known = node.leaf;
    node.leaf ??= value;
    return known;
  }

  find(segments: readonly string[]): T | undefined {
    return search(this.#root, segments, 0);
  }
}

const emptyNode = <T>(): Node<T> => ({
  statics: new Map(),
  param: undefined,
  leaf: undefined,
  rest: undefined,
});

function childOf<T>(node: Node<T>, text: string): Node<T> {
  let child = node.statics.get(text);
  if (child === undefined) {
    child = emptyNode();
    node.statics.set(text, child);
  }
  return child;
}

function search<T>(node: Node<T>, segments: readonly string[], at: number): T | undefined {
  const segment = segments[at];
  if (segment === undefined) return node.leaf;
  const fixed = node.statics.get(segment);
  if (fixed !== undefined) {
    const found = search(fixed, segments, at + 1);
    if (found !== undefined) return found;
  }
  if (node.param !== undefined && segment !== "") {
    const found = search(node.param, segments, at + 1);
    if (found !== undefined) return found;
  }
  return node.rest;
}

// Permanent redirects. The host of a target is configured: the request's Host only selects one of
// several. Path and query are copied unchanged. A target without a host never begins with "//" or
// "/\": a client would read a host after it.

import type { BusView } from "#core/bus/bus.js";
import { type Fault, fault, type Pass, pass } from "#core/bus/outcome.js";
import { type IntoReply, type Reply, respond } from "#core/bus/reply.js";
import {
  OwnOrigin,
  RequestMethod,
  RequestPath,
  RequestQuery,
  RequestScheme,
} from "#core/facts/ingress-facts.js";
import type { Guard } from "#core/flow/guard.js";
import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import { textList } from "../text-list.js";

/** A permanent redirect. */
export class Redirect implements IntoReply {
  readonly location: string;
  /** 301 after GET and HEAD; 308, which keeps method and body, after other methods. */
  readonly status: 301 | 308;

  constructor(location: string, method: string) {
    this.location = location;
    this.status = method === "GET" || method === "HEAD" ? 301 : 308;
  }

  toReply(): Reply<undefined> {
    return respond({ status: this.status, headers: { location: this.location } });
  }
}

export interface RedirectOptions {
  /** Paths that are not redirected, each with all paths below it: "/.well-known/acme-challenge". */
  readonly except?: readonly string[];
}

export interface ToHttpsOptions extends RedirectOptions {
  /** The server's host names. A request for another host is sent to the first. */
  readonly hosts: readonly string[];
  /** Port of https. Default: 443. */
  readonly port?: number;
}

type Read = typeof RequestMethod | typeof RequestPath | typeof RequestScheme | typeof OwnOrigin;
type Request = BusView<Read, never, typeof RequestQuery>;

export class RedirectGuard implements Guard<Redirect, Read, never, typeof RequestQuery> {
  readonly name = "RedirectGuard";
  readonly kind = "guard";
  readonly description: string;
  readonly reads: readonly Read[];
  readonly mayRead = [RequestQuery] as const;
  readonly responses = [
    { status: 301, title: "Elsewhere for good", methods: ["GET", "HEAD"] },
    { status: 308, title: "Elsewhere for good", methods: ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"] },
  ];
  readonly #except: readonly string[];
  /** The target; undefined if no redirect is needed. */
  readonly #targetOf: (request: Request) => string | undefined;

  private constructor(
    description: string,
    reads: readonly Read[],
    options: RedirectOptions,
    targetOf: (request: Request) => string | undefined,
  ) {
    const { except = [] } = options;
    this.description = description;
    this.reads = [RequestMethod, RequestPath, ...reads];
    this.#except = textList("RedirectGuard", "except", except).map((path) => checkedPath("except", path));
    this.#targetOf = targetOf;
  }

  /**
   * From http to https. If a proxy ends TLS, `trustedProxies` must name it: otherwise every request
   * looks like http and is redirected in a loop. Throws CONFIG_INVALID.
   */
  static toHttps(options: ToHttpsOptions): RedirectGuard {
    const call = "RedirectGuard.toHttps";
    requireKnownOptions(call, options, ["hosts", "port", "except"]);
    const { hosts: given, port = 443 } = options;
    const hosts = textList(call, "hosts", given).map((host) => checkedHost(call, host));
    const [first] = hosts;
    if (first === undefined || hosts.some((host) => PORT.test(host)))
      throw invalidOption(call, "hosts has to list the names of this server, without a port");
    if (!Number.isInteger(port) || port < 1 || port > 65_535)
      throw invalidOption(`${call}({ port: ${port} })`, "a port is a whole number from 1 to 65535");
    const suffix = port === 443 ? "" : `:${port}`;
    return new RedirectGuard("to https", [RequestScheme, OwnOrigin], options, (request) => {
      if (request.get(RequestScheme) === "https") return undefined;
      const own = hostOf(request.get(OwnOrigin)).replace(PORT, "");
      return `https://${hosts.includes(own) ? own : first}${suffix}${askedFor(request)}`;
    });
  }

  /**
   * To the canonical host of the site, with its port if it is not the default: "www.example.com".
   * Throws CONFIG_INVALID.
   */
  static toHost(host: string, options: RedirectOptions = {}): RedirectGuard {
    requireKnownOptions("RedirectGuard.toHost", options, ["except"]);
    const canonical = checkedHost("RedirectGuard.toHost", host);
    return new RedirectGuard(`to ${canonical}`, [OwnOrigin], options, (request) => {
      const origin = request.get(OwnOrigin);
      if (hostOf(origin) === canonical) return undefined;
      const scheme = origin.startsWith("https:") ? "https" : "http";
      return `${scheme}://${canonical}${askedFor(request)}`;
    });
  }

  /**
   * From a path and all paths below it to another: with "/old" to "/new", "/old/a?b=c" is sent to
   * "/new/a?b=c". "/older" does not match. Throws CONFIG_INVALID.
   */
  static prefix(from: string, to: string, options: RedirectOptions = {}): RedirectGuard {
    requireKnownOptions("RedirectGuard.prefix", options, ["except"]);
    const old = checkedPath("from", from);
    const next = checkedPath("to", to);
    if (old === next) throw invalidOption(`RedirectGuard.prefix('${from}', '${to}')`, "the two are one path");
    // The target "/app" is below "/" again: it would be redirected in a loop.
    const isInside = isBelow(next, old);
    return new RedirectGuard(`${from} to ${to}`, [], options, (request) => {
      const path = request.get(RequestPath);
      if (!isBelow(path, old) || (isInside && isBelow(path, next)) || !isPlain(path)) return undefined;
      const target = next + path.slice(old.length) || "/";
      // hole: "//other.example" would lead to another site
      return /^\/[/\\]/.test(target) ? undefined : target + queryOf(request);
    });
  }

  readonly run = (input: unknown, bus: Request): Pass | Fault<Redirect> => {
    const path = bus.get(RequestPath);
    if (this.#except.some((prefix) => isBelow(path, prefix))) return pass(input);
    const target = this.#targetOf(bus);
    return target === undefined ? pass(input) : fault(new Redirect(target, bus.get(RequestMethod)));
  };
}

const PORT = /:\d+$/;

/** The host of an origin, in lower case. */
const hostOf = (origin: string): string => origin.slice(origin.indexOf("://") + 3).toLowerCase();

/** Path and query unchanged; "/" for a target without a path. */
function askedFor(request: Request): string {
  const path = request.get(RequestPath);
  return path.startsWith("/") && isPlain(path) ? path + queryOf(request) : "/";
}

function queryOf(request: Request): string {
  const query = request.find(RequestQuery);
  return query === undefined || !isPlain(query) ? "" : `?${query}`;
}

/** Visible ASCII, as the ingress admits it. */
const isPlain = (text: string): boolean => /^[!-~]*$/.test(text);

const isBelow = (path: string, prefix: string): boolean =>
  path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === "/");

/** Without its trailing "/": "" for "/". */
function checkedPath(option: string, path: string): string {
  const call = `RedirectGuard, ${option} ${JSON.stringify(path)}`;
  // Other options accept patterns. Here one would silently match no request.
  if (/[*{}]|\/:|\(\./.test(path))
    throw invalidOption(
      call,
      'a path is no pattern, and all below it belongs to it: "/old" in the place of "/old/*"',
    );
  if (/^(?:\/|(?:\/[!"$-.0->@-[\]-~]+)+\/?)$/.test(path)) return path.replace(/\/$/, "");
  throw invalidOption(call, "a path begins with one /, and has no query and no empty segment");
}

function checkedHost(call: string, host: string): string {
  const name = typeof host === "string" ? host.toLowerCase() : "";
  // URLs of both schemes must keep the host: clients omit default ports, and URLs accept more characters.
  const isWritten = (url: string): boolean => URL.canParse(url) && new URL(url).host === name;
  const isHost =
    /^[a-z0-9._:[\]-]+$/.test(name) && isWritten(`http://${name}`) && isWritten(`https://${name}`);
  if (isHost) return name;
  throw invalidOption(
    `${call}, host ${JSON.stringify(host)}`,
    "give a host as clients send it, without a scheme or a star, and with a port that is neither 80 nor 443",
  );
}

// URLs of Redis: what they may say, checked before anything is opened.

import { readFileSync } from "node:fs";

import { FrameworkError } from "#core/errors.js";
import { isLoopback } from "#core/net/loopback.js";
import { shownUrl } from "#core/wire/shown-url.js";
import { visible } from "#core/wire/visible-text.js";

interface RedisAddress {
  readonly host: string;
  readonly port: number;
}

export interface RedisUrl {
  readonly shown: string;
  /** The server; of a cluster or of sentinels, the ones that are asked first. */
  readonly hosts: readonly [RedisAddress, ...RedisAddress[]];
  readonly isCluster: boolean;
  /** The name of the master that sentinels know. */
  readonly sentinel: string | undefined;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly db: number;
  readonly tls: { readonly rejectUnauthorized: boolean; readonly ca?: string } | undefined;
  /** Of all keys: `[a-z0-9:_-]{1,40}`. */
  readonly prefix: string;
}

const PARAMETERS = ["prefix", "cluster", "sentinel", "tls", "ca"] as const;
const PREFIX = /^[a-z0-9:_-]{1,40}$/;

/** `service` is the default prefix. Throws CONFIG_INVALID. No message shows a password. */
export function redisUrl(text: string, service: string | undefined): RedisUrl {
  try {
    return parsed(text, service);
  } catch (error) {
    const { message, cause } = error as Error;
    throw new FrameworkError("CONFIG_INVALID", `openStores${message}`, {
      ...(cause !== undefined && { cause }),
    });
  }
}

/** Its errors are what follows the name of the call. */
function parsed(text: string, service: string | undefined): RedisUrl {
  if (typeof text !== "string" || !/^rediss?:\/\//.test(text))
    throw new Error(": its redis is no redis:// or rediss:// URL");
  const [first, ...others] = hostsOf(text).map(oneHost) as [URL, ...URL[]];
  const shown = shownUrl(text);
  const parameter = parametersOf(first, shown);
  const isCluster = parameter("cluster") === "true";
  const sentinel = parameter("sentinel");
  if (parameter("cluster") !== undefined && !isCluster) throw refused(shown, "cluster is true or not given");
  if (isCluster && sentinel !== undefined) throw refused(shown, "give it cluster or sentinel, not both");
  if (others.length > 0 && !isCluster && sentinel === undefined)
    throw refused(shown, "several hosts need cluster=true, or sentinel=NAME where they are sentinels");
  if ([first, ...others].some(({ hostname }) => hostname === "")) throw refused(shown, "it names no host");
  const path = first.pathname.slice(1);
  if (!/^\d{0,5}$/.test(path)) throw refused(shown, "its path is the number of a database");
  if (isCluster && Number(path) !== 0) throw refused(shown, "a cluster has no database but 0");
  const given = (value: string): string | undefined => (value === "" ? undefined : decodeURIComponent(value));
  const address = ({ hostname, port }: URL): RedisAddress => ({
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port || (sentinel === undefined ? 6379 : 26379)),
  });
  const hosts = [address(first), ...others.map(address)] as const;
  return {
    ...{ shown, hosts, isCluster, sentinel, db: Number(path) },
    username: given(first.username),
    password: given(first.password),
    tls: tlsOf(shown, first.protocol, hosts, parameter("tls"), parameter("ca")),
    prefix: prefixOf(shown, parameter("prefix"), service),
  };
}

/** `redis://user@a:7000,b:7001` names two hosts. */
function hostsOf(text: string): readonly string[] {
  const [, start = "", hosts = "", rest = ""] =
    /^([a-z]+:\/\/(?:[^/?#@]*@)?)([^/?#@]*)(.*)$/s.exec(text) ?? [];
  return hosts.split(",").map((host) => start + host + rest);
}

/** The error of `URL` has the text, so it is no cause here. */
function oneHost(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // Of a '/', '?' or '#' in a password: what follows is no path and no parameter.
  if (url === undefined || url.hash !== "" || /@/.test(url.pathname + url.search) || !areDecoded(url))
    throw new Error(
      ": the redis:// URL cannot be read; percent-encode special characters of its user and password",
    );
  return url;
}

function areDecoded({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

function parametersOf(url: URL, shown: string): (name: (typeof PARAMETERS)[number]) => string | undefined {
  for (const name of url.searchParams.keys()) {
    // The value of an unknown one may be a secret.
    if (!PARAMETERS.some((known) => known === name))
      throw refused(
        shown.replace(/\?.*/s, ""),
        `'${visible(name)}' is no parameter; there are ${PARAMETERS.join(", ")}`,
      );
    if (url.searchParams.getAll(name).length > 1) throw refused(shown, `${name} is given twice`);
    if (url.searchParams.get(name) === "") throw refused(shown, `${name} is empty`);
  }
  return (name) => url.searchParams.get(name) ?? undefined;
}

/** Encrypted and verified unless the URL declines it, where others could be in between. */
function tlsOf(
  shown: string,
  protocol: string,
  hosts: readonly RedisAddress[],
  mode: string | undefined,
  file: string | undefined,
): RedisUrl["tls"] {
  if (protocol === "redis:") {
    if (file !== undefined || (mode !== undefined && mode !== "off"))
      throw refused(shown, "tls and ca are of rediss:// URLs; the only tls of redis:// is off");
    if (mode === undefined && !hosts.every(({ host }) => isLoopback(host)))
      throw refused(
        shown,
        "it is not encrypted and not of this machine: use rediss://, or tls=off in a network that you trust",
      );
    return undefined;
  }
  if (mode !== undefined && mode !== "no-verify")
    throw refused(shown, "the only tls of rediss:// is no-verify, which encrypts and checks nothing");
  if (mode === undefined)
    return { rejectUnauthorized: true, ...(file !== undefined && { ca: readCertificate(shown, file) }) };
  if (file !== undefined) throw refused(shown, "ca has no effect with tls=no-verify");
  return { rejectUnauthorized: false };
}

function readCertificate(shown: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new Error(`('${shown}'): the file of ca cannot be read`, { cause });
  }
}

/** Holds the name of the service: services that share a URL share no keys. */
function prefixOf(shown: string, given: string | undefined, service: string | undefined): string {
  const fits = service !== undefined && PREFIX.test(service);
  if (given === undefined) {
    if (service === undefined) return "framework";
    if (fits) return service;
    throw refused(
      shown,
      `the name of the service is no prefix of keys: give the URL a prefix of 1 to 40 of a-z, 0-9, ":", "_", "-"`,
    );
  }
  if (!PREFIX.test(given)) throw refused(shown, 'prefix must have 1 to 40 of a-z, 0-9, ":", "_", "-"');
  return fits && !given.split(":").includes(service) ? `${given}:${service}` : given;
}

const refused = (shown: string, remedy: string): Error => new Error(`('${shown}'): ${remedy}`);

// URLs of stores: what they may say, checked before anything is opened.

import { readFileSync } from "node:fs";

import { FrameworkError } from "#core/errors.js";
import { isLoopback } from "#core/net/loopback.js";
import { shownUrl } from "#core/wire/shown-url.js";
import { visible } from "#core/wire/visible-text.js";

export type StoreUrl =
  | { readonly kind: "memory"; readonly shown: string }
  | { readonly kind: "sqlite"; readonly shown: string; readonly file: string }
  | {
      readonly kind: "postgres";
      readonly shown: string;
      /** One of each host, in the order in which they are tried. */
      readonly urls: readonly string[];
      readonly schema: string | undefined;
      readonly prefix: string | undefined;
      readonly ssl: { readonly rejectUnauthorized: boolean; readonly ca?: string } | false;
    };

const PARAMETERS = ["schema", "prefix", "sslmode", "sslrootcert", "host"] as const;
const OWN_PARAMETERS = ["schema", "prefix", "sslmode", "sslrootcert"] as const;

/** The call that a URL was given to, and what that takes. */
interface UrlTaker {
  readonly call: string;
  readonly forms: string;
}

export const STORE_FORMS = "sqlite:PATH, postgres://USER@HOST/DATABASE";

const STORES: UrlTaker = { call: "openStores", forms: `${STORE_FORMS} or memory:` };

/** Throws CONFIG_INVALID. No message shows a password. */
export function storeUrl(url: string, { call, forms }: UrlTaker = STORES): StoreUrl {
  try {
    return parsedUrl(url, forms);
  } catch (error) {
    const { message, cause } = error as Error;
    throw new FrameworkError("CONFIG_INVALID", `${call}${message}`, {
      ...(cause !== undefined && { cause }),
    });
  }
}

/** Its errors are what follows the name of the call. */
function parsedUrl(url: string, forms: string): StoreUrl {
  if (typeof url !== "string") throw new Error(`() was given ${typeof url}: give it a URL: ${forms}`);
  if (url === "memory:") return { kind: "memory", shown: url };
  if (url.startsWith("sqlite:")) {
    const file = url.slice("sqlite:".length);
    if (file === "" || file.startsWith("//") || file === ":memory:" || file.includes("\0"))
      throw refused(
        shownUrl(url),
        "write sqlite:PATH, relative to the working directory or absolute; in memory it is memory:",
      );
    return { kind: "sqlite", shown: url, file };
  }
  if (/^postgres(ql)?:\/\//.test(url)) return postgresUrl(url);
  // It may be a password.
  throw new Error(`: its URL is none of ${forms}`);
}

function postgresUrl(text: string): StoreUrl {
  const shown = shownUrl(text);
  const [first, ...others] = hostsOf(text).map(parsed) as [URL, ...URL[]];
  const parameter = (name: (typeof PARAMETERS)[number]): string | undefined =>
    first.searchParams.get(name) ?? undefined;
  for (const name of first.searchParams.keys()) {
    // The value of an unknown one may be a secret.
    if (!PARAMETERS.some((known) => known === name))
      throw refused(
        shown.replace(/\?.*/s, ""),
        `'${visible(name)}' is no parameter; there are ${PARAMETERS.join(", ")}`,
      );
    // pg takes the last one, what is checked here is the first.
    if (first.searchParams.getAll(name).length > 1) throw refused(shown, `${name} is given twice`);
  }
  const folder = parameter("host");
  if (folder !== undefined && (!folder.startsWith("/") || others.length > 0))
    throw refused(shown, "the parameter host is the folder of a unix socket; hosts stand before the path");
  // pg would ask the variable PGHOST.
  if (folder === undefined && [first, ...others].some(({ hostname }) => hostname === ""))
    throw refused(shown, "it names no host");
  const isLocal = folder !== undefined || [first, ...others].every(({ hostname }) => isOfMachine(hostname));
  const ssl = sslOf(shown, isLocal, parameter("sslmode"), parameter("sslrootcert"));
  const [schema, prefix] = [parameter("schema"), parameter("prefix")];
  const urls = [first, ...others].map((url) => {
    for (const name of OWN_PARAMETERS) url.searchParams.delete(name);
    return url.href;
  });
  return { kind: "postgres", shown, urls, schema, prefix, ssl };
}

/** `postgres://user@a:5432,b:5433/database` names two hosts, as it does for libpq. */
function hostsOf(text: string): readonly string[] {
  const [, start = "", hosts = "", rest = ""] =
    /^([a-z]+:\/\/(?:[^/?#@]*@)?)([^/?#@]*)(.*)$/s.exec(text) ?? [];
  return hosts.includes(",") ? hosts.split(",").map((host) => start + host + rest) : [text];
}

const isOfMachine = (host: string): boolean => /^%2f/i.test(host) || isLoopback(host.replace(/^\[|\]$/g, ""));

/** The error of `URL` has the text, so it is no cause here. */
function parsed(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // Of a '/', '?' or '#' in a password: what follows is no path and no parameter.
  if (url === undefined || url.hash !== "" || /@/.test(url.pathname + url.search))
    throw new Error(
      ": the postgres:// URL cannot be read; percent-encode special characters of its user and password",
    );
  return url;
}

/** Verified by default where others could be in between. */
function sslOf(shown: string, isLocal: boolean, given: string | undefined, rootCertificate?: string) {
  const mode = given ?? (isLocal && rootCertificate === undefined ? "disable" : "verify-full");
  if (mode === "verify-full") {
    const ca = rootCertificate === undefined ? undefined : readCertificate(shown, rootCertificate);
    return { rejectUnauthorized: true, ...(ca !== undefined && { ca }) };
  }
  if (mode === "require" || mode === "prefer" || mode === "allow" || mode === "verify-ca")
    throw refused(
      shown,
      `sslmode ${mode} does not check who answers, or not under which name: use verify-full, with sslrootcert=FILE for an authority of your own, or no-verify, which encrypts and checks nothing`,
    );
  if (mode !== "disable" && mode !== "no-verify")
    throw refused(shown, `sslmode '${visible(mode)}' is none of disable, no-verify and verify-full`);
  if (rootCertificate !== undefined)
    throw refused(shown, `sslrootcert has no effect with sslmode ${mode}: use verify-full`);
  return mode === "disable" ? false : { rejectUnauthorized: false };
}

function readCertificate(shown: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new Error(`('${shown}'): the file of sslrootcert cannot be read`, { cause });
  }
}

const refused = (shown: string, remedy: string): Error => new Error(`('${shown}'): ${remedy}`);

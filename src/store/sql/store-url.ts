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
      readonly url: string;
      readonly schema: string | undefined;
      readonly prefix: string | undefined;
      readonly ssl: { readonly rejectUnauthorized: boolean; readonly ca?: string } | false;
    };

const PARAMETERS = ["schema", "prefix", "sslmode", "sslrootcert", "host"] as const;
const OWN_PARAMETERS = ["schema", "prefix", "sslmode", "sslrootcert"] as const;

/** Throws CONFIG_INVALID. No message shows a password. */
export function storeUrl(url: string): StoreUrl {
  if (typeof url !== "string")
    throw new FrameworkError(
      "CONFIG_INVALID",
      `openStores() was given ${typeof url}: give it a URL, such as sqlite:app.db`,
    );
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
  throw new FrameworkError(
    "CONFIG_INVALID",
    "openStores: the URL of a store begins with sqlite:, postgres:// or memory:",
  );
}

function postgresUrl(text: string): StoreUrl {
  const url = parsed(text);
  const shown = shownUrl(text);
  const parameter = (name: (typeof PARAMETERS)[number]): string | undefined =>
    url.searchParams.get(name) ?? undefined;
  for (const name of url.searchParams.keys()) {
    // The value of an unknown one may be a secret.
    if (!PARAMETERS.some((known) => known === name))
      throw refused(
        shown.replace(/\?.*/s, ""),
        `'${visible(name)}' is no parameter; there are ${PARAMETERS.join(", ")}`,
      );
    // pg takes the last one, what is checked here is the first.
    if (url.searchParams.getAll(name).length > 1) throw refused(shown, `${name} is given twice`);
  }
  const folder = parameter("host");
  if (folder?.startsWith("/") === false)
    throw refused(shown, "the parameter host is the folder of a unix socket; a host stands before the path");
  // pg would ask the variable PGHOST.
  if (url.hostname === "" && folder === undefined) throw refused(shown, "it names no host");
  const isLocal =
    folder !== undefined || /^%2f/i.test(url.hostname) || isLoopback(url.hostname.replace(/^\[|\]$/g, ""));
  const ssl = sslOf(shown, isLocal, parameter("sslmode"), parameter("sslrootcert"));
  const [schema, prefix] = [parameter("schema"), parameter("prefix")];
  for (const name of OWN_PARAMETERS) url.searchParams.delete(name);
  return { kind: "postgres", shown, url: url.href, schema, prefix, ssl };
}

/** The error of `URL` has the text, so it is no cause here. */
function parsed(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // Of a '/', '?' or '#' in a password: what follows is no path and no parameter.
  if (url === undefined || url.hash !== "" || /@/.test(url.pathname + url.search))
    throw new FrameworkError(
      "CONFIG_INVALID",
      "openStores: the postgres:// URL cannot be read; percent-encode special characters of its user and password",
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
    throw new FrameworkError(
      "CONFIG_INVALID",
      `openStores('${shown}'): the file of sslrootcert cannot be read`,
      { cause },
    );
  }
}

const refused = (shown: string, remedy: string): FrameworkError =>
  new FrameworkError("CONFIG_INVALID", `openStores('${shown}'): ${remedy}`);

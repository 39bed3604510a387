// What a program says of TLS. What is in the files is looked at when the server starts.

import { isIP } from "node:net";
import { resolve } from "node:path";

import { FrameworkError } from "#core/errors.js";
import { Secret } from "#core/secret.js";
import type { Address } from "../address.js";
import { namesOf, requireKnown } from "../known-options.js";
import { requireInteger } from "../required-integer.js";

/** A certificate and its key: paths of PEM files, relative to the working directory. */
export interface TlsPair {
  /** The certificate, and behind it those that lead to one that clients know. */
  readonly cert: string;
  readonly key: string;
  /** Where the key is encrypted. */
  readonly passphrase?: string;
}

export interface TlsOptions {
  /** Where the key is encrypted. */
  readonly passphrase?: string;
  /**
   * Certificates for names of their own, which clients ask for by SNI: `"b.example"`, or
   * `"*.b.example"` for each name right below it. Whoever asks for none of them, or by
   * address, gets the first one. The engine writes two lines to stdout for each name.
   */
  readonly names?: Readonly<Record<string, TlsPair>>;
  /** How often the files are looked at, in milliseconds, 10 to 3 600 000. Default 5000. */
  readonly checkEveryMs?: number;
}

/** A pair with its whole paths; `name` where it is served by SNI. */
export interface PairPlan {
  readonly name: string | undefined;
  readonly cert: string;
  readonly key: string;
  readonly passphrase: Secret<string> | undefined;
}

export interface TlsPlan {
  /** The first one is served to whoever asks for no name. */
  readonly pairs: readonly [PairPlan, ...PairPlan[]];
  readonly checkEveryMs: number;
}

const OPTIONS = namesOf<TlsOptions>({ passphrase: true, names: true, checkEveryMs: true });
const PAIR = namesOf<TlsPair>({ cert: true, key: true, passphrase: true });

const SERVER_NAME = /^(?:\*\.)?(?!-)[a-z0-9-]{1,63}(?:\.(?!-)[a-z0-9-]{1,63})*$/;

/** The engine passes over a name of more without a word, and serves the first certificate in its place. */
const MAX_LABELS = 10;

/** Throws CONFIG_INVALID. */
export function tlsPlan(cert: string, key: string, options: TlsOptions = {}): TlsPlan {
  requireKnown("tls()", options, OPTIONS);
  const { passphrase, names = {}, checkEveryMs = 5000 } = options;
  if (typeof names !== "object" || names === null || Array.isArray(names))
    throw invalid('names of tls() is a table: write names: { "b.example": { cert, key } }');
  return {
    pairs: [
      pairPlan("tls()", { cert, key, ...(passphrase !== undefined && { passphrase }) }, undefined),
      ...Object.entries(names).map(([name, pair]) => namedPair(name, pair)),
    ],
    checkEveryMs: requireInteger("checkEveryMs of tls()", checkEveryMs, 10, 3_600_000),
  };
}

/** Throws CONFIG_INVALID where TLS cannot be spoken: on a socket file, and behind PROXY headers. */
export function requireTlsPlace(plan: {
  readonly tls: TlsPlan | undefined;
  readonly address: Address;
  readonly proxyProtocol: "off" | "v2";
}): void {
  if (plan.tls === undefined) return;
  if (plan.address.kind === "unix")
    throw invalid(
      `TLS is for host:port, and ${plan.address.path} is a socket of the file system, which only this machine reaches: leave tls() out`,
    );
  if (plan.proxyProtocol !== "off")
    throw invalid(
      'proxyProtocol is "v2", and the engine reads PROXY headers of plain connections alone: leave out tls() or proxyProtocol',
    );
}

function namedPair(name: string, pair: TlsPair): PairPlan {
  const where = `names of tls(), '${name}'`;
  if (isIP(name) !== 0)
    throw invalid(
      `${where}: clients ask for no address by SNI, they get the first certificate: give it to tls() itself`,
    );
  if (!SERVER_NAME.test(name))
    throw invalid(`${where}: write a host name in lower case without a port, or *. and one`);
  if (name.split(".").length > MAX_LABELS)
    throw invalid(
      `${where}: the engine takes names of ${MAX_LABELS} parts at most: have the first certificate issued for it too`,
    );
  requireKnown(where, pair, PAIR);
  return pairPlan(where, pair, name);
}

function pairPlan(where: string, { cert, key, passphrase }: TlsPair, name: string | undefined): PairPlan {
  for (const [what, path] of [
    ["certificate", cert],
    ["key", key],
  ] as const) {
    if (typeof path !== "string" || path === "" || path.includes("\0"))
      throw invalid(`${where}: give the path of the file with the ${what}, in PEM`);
    if (path.includes("-----BEGIN"))
      throw invalid(`${where}: the ${what} is a text in PEM: write it to a file, and give its path`);
  }
  if (passphrase !== undefined && typeof passphrase !== "string")
    throw invalid(`${where}: passphrase is a text`);
  const secret = passphrase === undefined ? undefined : new Secret(passphrase);
  return { name, cert: resolve(cert), key: resolve(key), passphrase: secret };
}

const invalid = (message: string): FrameworkError => new FrameworkError("CONFIG_INVALID", message);

import { isIP } from "node:net";
import { resolve } from "node:path";
import { Secret } from "#core/secrets/secret.js";
import type { Address } from "../refusal/address.js";
import { configInvalid, optionNames, requireInteger, requireKnown } from "../refusal/option-checks.js";

/** A certificate and its key: paths of PEM files, relative to the working directory. */
export interface TlsPair {
  /** The certificate, followed by its intermediates. */
  readonly cert: string;
  readonly key: string;
  /** Passphrase of an encrypted key. */
  readonly passphrase?: string;
}

export interface TlsOptions {
  /** Passphrase of an encrypted key. */
  readonly passphrase?: string;
  /**
   * Certificates for SNI: `"b.example"`, or `"*.b.example"` for names one label below. Clients that
   * ask for another name get the first certificate. The engine writes two lines to stdout per name.
   */
  readonly names?: Readonly<Record<string, TlsPair>>;
  /** Interval between checks of the files, in milliseconds, 10 to 3 600 000. Default 5000. */
  readonly checkEveryMs?: number;
}

/** A pair with absolute paths. `name` is its SNI name. */
export interface PairPlan {
  readonly name: string | undefined;
  readonly cert: string;
  readonly key: string;
  readonly passphrase: Secret<string> | undefined;
}

export interface TlsPlan {
  /** The first pair is the default. */
  readonly pairs: readonly [PairPlan, ...PairPlan[]];
  readonly checkEveryMs: number;
}

const OPTIONS = optionNames<TlsOptions>()("passphrase names checkEveryMs");
const PAIR = optionNames<TlsPair>()("cert key passphrase");

const SERVER_NAME = /^(?:\*\.)?(?!-)[a-z0-9-]{1,63}(?:\.(?!-)[a-z0-9-]{1,63})*$/;

/** The engine ignores longer names silently. */
const MAX_LABELS = 10;

/** Validates the arguments of `tls()`. Throws CONFIG_INVALID. */
export function tlsPlan(cert: string, key: string, options: TlsOptions = {}): TlsPlan {
  requireKnown("tls()", options, OPTIONS);
  const { passphrase, names = {}, checkEveryMs = 5000 } = options;
  if (typeof names !== "object" || names === null || Array.isArray(names))
    throw configInvalid('names of tls() is a table: write names: { "b.example": { cert, key } }');
  return {
    pairs: [
      pairPlan("tls()", { cert, key, ...(passphrase !== undefined && { passphrase }) }, undefined),
      ...Object.entries(names).map(([name, pair]) => namedPair(name, pair)),
    ],
    checkEveryMs: requireInteger("checkEveryMs of tls()", checkEveryMs, 10, 3_600_000),
  };
}

/** Throws CONFIG_INVALID for TLS on a socket file, and behind PROXY headers. */
export function requireTlsPlace(plan: {
  readonly tls: TlsPlan | undefined;
  readonly address: Address;
  readonly proxyProtocol: "off" | "v2";
}): void {
  if (plan.tls === undefined) return;
  if (plan.address.kind === "unix")
    throw configInvalid(
      `TLS is for host:port, and ${plan.address.path} is a socket of the file system, which only this machine reaches: leave tls() out`,
    );
  if (plan.proxyProtocol !== "off")
    throw configInvalid(
      'proxyProtocol is "v2", and the engine reads PROXY headers of plain connections alone: leave out tls() or proxyProtocol',
    );
}

function namedPair(name: string, pair: TlsPair): PairPlan {
  const where = `names of tls(), '${name}'`;
  if (isIP(name) !== 0)
    throw configInvalid(
      `${where}: clients ask for no address by SNI, they get the first certificate: give it to tls() itself`,
    );
  if (!SERVER_NAME.test(name))
    throw configInvalid(`${where}: write a host name in lower case without a port, or *. and one`);
  if (name.split(".").length > MAX_LABELS)
    throw configInvalid(
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
      throw configInvalid(`${where}: give the path of the file with the ${what}, in PEM`);
    if (path.includes("-----BEGIN"))
      throw configInvalid(`${where}: the ${what} is a text in PEM: write it to a file, and give its path`);
  }
  if (passphrase !== undefined && typeof passphrase !== "string")
    throw configInvalid(`${where}: passphrase is a text`);
  const secret = passphrase === undefined ? undefined : new Secret(passphrase);
  return { name, cert: resolve(cert), key: resolve(key), passphrase: secret };
}

// Certificates and keys of an ingress, checked before the engine reads the files: the engine reports
// no reason for a failure. `isAsRead` checks afterwards that the engine read the same bytes.

import { createHash, createPrivateKey, type KeyObject } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import type { Secret } from "#core/secrets/secret.js";
import { type Chain, checkChain, expiryOf, readChain, shownLink } from "./certificate-chain.js";
import { readPem, tlsInvalid } from "./pem.js";
import type { PairPlan, TlsPlan } from "./tls-options.js";

export interface Credentials {
  readonly pairs: TlsPlan["pairs"];
  readonly chains: readonly { readonly file: string; readonly chain: Chain }[];
  /** Warnings: a certificate that browsers refuse, a key file that other users can read. */
  readonly doubts: readonly string[];
  /** Digest of all files. */
  readonly digest: string;
}

const MAX_FILE_BYTES = 1_048_576;

/** Throws TLS_INVALID with the file, the problem and the remedy. `now` is in milliseconds since 1970. */
export async function readCredentials({ pairs }: TlsPlan, now: number): Promise<Credentials> {
  const texts = await readAll(pairs);
  const read = pairs.map((pair, i) => checkedPair(pair, texts[i] as PairTexts, now));
  const exposed = await Promise.all(pairs.map(({ key }) => exposureOf(key)));
  return {
    pairs,
    chains: read.map(({ file, chain }) => ({ file, chain })),
    doubts: [...read.flatMap(({ doubts }) => doubts), ...new Set(exposed.flat())],
    digest: digestOf(texts),
  };
}

/** Resolves to true if the files are unchanged. */
export async function isAsRead({ pairs, digest }: Credentials): Promise<boolean> {
  try {
    return digestOf(await readAll(pairs)) === digest;
  } catch {
    return false;
  }
}

interface PairTexts {
  readonly cert: string;
  readonly key: string;
}

const readAll = (pairs: readonly PairPlan[]): Promise<readonly PairTexts[]> =>
  Promise.all(
    pairs.map(async ({ cert, key }) => ({
      cert: await textOf(cert, "certificate"),
      key: await textOf(key, "key"),
    })),
  );

const digestOf = (texts: readonly PairTexts[]): string =>
  createHash("sha256").update(JSON.stringify(texts)).digest("hex");

const REMEDIES: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file: give its path, relative to the working directory, or make it",
  EACCES: "this process may not read it: let its user do so, or its group",
  EISDIR: "it is a folder: give the path of the file in it",
};

async function textOf(file: string, what: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size > MAX_FILE_BYTES)
      throw tlsInvalid(file, `it has ${size} bytes`, `a ${what} has less: is it another file?`);
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "TLS_INVALID") throw error;
    throw unreadable(file, what, error);
  }
}

function unreadable(file: string, what: string, cause: unknown): Error {
  const { code = "unknown" } = cause as NodeJS.ErrnoException;
  return tlsInvalid(file, `the ${what} cannot be read (${code})`, REMEDIES[code] ?? "see the cause", cause);
}

function checkedPair(
  pair: PairPlan,
  texts: PairTexts,
  now: number,
): { readonly file: string; readonly chain: Chain; readonly doubts: readonly string[] } {
  const chain = readChain(pair.cert, texts.cert);
  const key = readPrivateKey(pair.key, texts.key, pair.passphrase);
  // hole: a key could be paired with another certificate
  requireMatch(pair, chain, key);
  checkChain(pair.cert, chain, now);
  requireName(pair, chain);
  const { subjectAltName } = chain[0].certificate;
  const doubts =
    subjectAltName === undefined
      ? [`${pair.cert}: ${shownLink(chain[0])} has no subjectAltName, and browsers refuse it`]
      : [];
  return { file: pair.cert, chain, doubts };
}

function requireMatch({ cert, key: keyFile }: PairPlan, chain: Chain, key: KeyObject): void {
  const [own, ...others] = chain;
  if (own.certificate.checkPrivateKey(key)) return;
  const fitting = others.find(({ certificate }) => certificate.checkPrivateKey(key));
  if (fitting !== undefined)
    throw tlsInvalid(
      cert,
      `its first certificate is not the server's own: ${keyFile} is the key of ${shownLink(fitting)}`,
      "put that one first, and behind each the one that has issued it",
    );
  throw tlsInvalid(
    keyFile,
    `it is not the key of ${shownLink(own)} in ${cert}`,
    "give the key that the certificate was asked for with",
  );
}

function requireName({ name, cert }: PairPlan, [own]: Chain): void {
  if (name === undefined) return;
  // One name below the wildcard is tested for all.
  const asked = name.startsWith("*.") ? `any${name.slice(1)}` : name;
  if (own.certificate.checkHost(asked, { subject: "never" }) !== undefined) return;
  throw tlsInvalid(
    cert,
    `${shownLink(own)} is not for '${name}', but for ${own.certificate.subjectAltName ?? "no name"}`,
    "give the one for this name, or leave the name out: the first certificate is served then",
  );
}

const OTHERS = 0o007;

async function exposureOf(key: string): Promise<readonly string[]> {
  // The file may have been deleted meanwhile.
  const { mode } = await stat(key).catch((error: unknown) => {
    throw unreadable(key, "key", error);
  });
  if ((mode & OTHERS) === 0) return [];
  return [`${key}: every user of this machine may touch the key; chmod 600 takes that away`];
}

const DAY_MS = 86_400_000;

/** Warnings for certificates in their last two weeks, or in the last quarter of a shorter lifetime. */
export function endingSoon({ chains }: Credentials, now: number): readonly string[] {
  const all = chains.flatMap(({ file, chain }) =>
    chain.flatMap((link) => {
      const end = expiryOf(link);
      const life = end - Date.parse(link.certificate.validFrom);
      if (end - now > Math.min(14 * DAY_MS, life / 4)) return [];
      const days = Math.floor((end - now) / DAY_MS);
      const when = end <= now ? "has expired" : days < 1 ? "expires within a day" : `expires in ${days} days`;
      return [`${file}: ${shownLink(link)} ${when}, on ${link.certificate.validTo}; have it renewed`];
    }),
  );
  return [...new Set(all)];
}

/** Throws TLS_INVALID for an unreadable key, and for a missing or wrong passphrase. */
function readPrivateKey(file: string, text: string, passphrase: Secret<string> | undefined): KeyObject {
  const blocks = readPem(file, text);
  const block = blocks.find(({ label }) => label.endsWith("PRIVATE KEY"));
  if (block === undefined) throw noKey(file, blocks[0]?.label);
  const isEncrypted = block.label.startsWith("ENCRYPTED") || block.text.includes("Proc-Type: 4,ENCRYPTED");
  if (isEncrypted && passphrase === undefined)
    throw tlsInvalid(file, "the key is encrypted", "give its passphrase, or a key without one");
  try {
    return createPrivateKey({
      key: block.text,
      ...(isEncrypted && passphrase && { passphrase: passphrase.reveal() }),
    });
  } catch (cause) {
    const problem = isEncrypted ? "the passphrase does not open the key" : "the key cannot be read";
    const remedy = isEncrypted ? "give the one that it was encrypted with" : "write it again, whole";
    throw tlsInvalid(file, problem, remedy, cause);
  }
}

function noKey(file: string, label: string | undefined): Error {
  if (label === undefined)
    return tlsInvalid(file, "it holds no PEM", 'a key in PEM begins with "-----BEGIN PRIVATE KEY-----"');
  const isCertificate = label.includes("CERTIFICATE");
  return tlsInvalid(
    file,
    `it holds no private key but a "${label}"`,
    isCertificate
      ? "were certificate and key given in the wrong order? Write tls(cert, key)"
      : "give the file with the private key",
  );
}

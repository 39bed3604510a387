// Checks a certificate chain as a client would, because the engine reports no reason.

import { X509Certificate } from "node:crypto";

import { type PemBlock, readPem, tlsInvalid } from "./pem.js";

export interface Link {
  readonly certificate: X509Certificate;
  readonly block: PemBlock;
}

/** The server's own certificate first. */
export type Chain = readonly [Link, ...Link[]];

const MAX_CHAIN = 10;

/** Signature algorithms that clients refuse. */
const BROKEN: ReadonlyMap<string, string> = new Map([
  ["1.2.840.113549.1.1.4", "MD5"],
  ["1.2.840.113549.1.1.5", "SHA-1"],
  ["1.2.840.10045.4.1", "SHA-1"],
]);

const SERVER_AUTH = "1.3.6.1.5.5.7.3.1";
const ANY_PURPOSE = "2.5.29.37.0";

/** Throws TLS_INVALID. */
export function readChain(file: string, text: string): Chain {
  const links = certificateBlocks(file, text).map((block) => ({ block, certificate: parsed(file, block) }));
  const [first, ...others] = links;
  if (first === undefined) throw new Error("unreachable: there is a block");
  if (links.length > MAX_CHAIN)
    throw tlsInvalid(
      file,
      `it has ${links.length} certificates`,
      `give the server's own and those that lead to the root, at most ${MAX_CHAIN}: a file of all roots is for clients`,
    );
  return [first, ...others];
}

function certificateBlocks(file: string, text: string): readonly PemBlock[] {
  const all = readPem(file, text);
  const blocks = all.filter(({ label }) => /^(?:X509 |TRUSTED )?CERTIFICATE$/.test(label));
  if (blocks.length > 0) return blocks;
  const [other] = all;
  if (other === undefined)
    throw tlsInvalid(
      file,
      text.trim() === "" ? "it is empty" : "it holds no PEM",
      'a certificate in PEM begins with "-----BEGIN CERTIFICATE-----"; openssl x509 -inform der -in FILE makes one of DER',
    );
  const remedy = other.label.includes("PRIVATE KEY")
    ? "were certificate and key given in the wrong order? Write tls(cert, key)"
    : other.label === "CERTIFICATE REQUEST"
      ? "that is what an authority is sent: give the file that it sent back"
      : "give the file with the certificate";
  throw tlsInvalid(file, `it holds no certificate but a "${other.label}"`, remedy);
}

function parsed(file: string, block: PemBlock): X509Certificate {
  try {
    return new X509Certificate(block.text);
  } catch (cause) {
    throw tlsInvalid(
      file,
      `the certificate of line ${block.line} cannot be read`,
      "write it again, whole",
      cause,
    );
  }
}

/** Throws TLS_INVALID if clients would refuse the chain. `now` is in milliseconds since 1970. */
export function checkChain(file: string, chain: Chain, now: number): void {
  for (const link of chain) {
    checkDates(file, link, now);
    checkStrength(file, link);
  }
  chain.forEach((link, at) => {
    const issuer = chain[at + 1];
    if (issuer !== undefined) checkLink(file, link, issuer);
  });
  const [own] = chain;
  // The extended key usage. A certificate without it allows every purpose.
  const purposes = own.certificate.keyUsage as readonly string[] | undefined;
  if (purposes !== undefined && !purposes.includes(SERVER_AUTH) && !purposes.includes(ANY_PURPOSE))
    throw tlsInvalid(
      file,
      `${shownLink(own)} is not for servers: its purposes are ${purposes.join(", ")}`,
      `ask for one with serverAuth (${SERVER_AUTH})`,
    );
}

function checkDates(file: string, link: Link, now: number): void {
  const { validFrom, validTo } = link.certificate;
  if (Date.parse(validFrom) > now)
    throw tlsInvalid(
      file,
      `${shownLink(link)} is not valid before ${validFrom}`,
      `wait, or set the clock, which says ${new Date(now).toISOString()}`,
    );
  if (expiryOf(link) <= now)
    throw tlsInvalid(file, `${shownLink(link)} has expired on ${validTo}`, "give a renewed one");
}

/** Expiry in milliseconds since 1970. */
export const expiryOf = ({ certificate }: Link): number => Date.parse(certificate.validTo);

const CURVES: ReadonlySet<string | undefined> = new Set(["prime256v1", "secp384r1", "secp521r1"]);

function checkStrength(file: string, link: Link): void {
  const { publicKey, raw } = link.certificate;
  const { asymmetricKeyType: type, asymmetricKeyDetails: details = {} } = publicKey;
  if (type === "rsa" && (details.modulusLength ?? 0) < 2048)
    throw tlsInvalid(
      file,
      `${shownLink(link)} has an RSA key of ${details.modulusLength} bits`,
      "clients ask for 2048 at least: have it issued for a new key",
    );
  if (type === "ec" && !CURVES.has(details.namedCurve))
    throw tlsInvalid(
      file,
      `${shownLink(link)} has a key on the curve ${details.namedCurve}`,
      "clients know P-256 and P-384: have it issued for a new key",
    );
  if (type !== "rsa" && type !== "ec" && type !== "ed25519")
    throw tlsInvalid(file, `${shownLink(link)} has a key of the type ${type}`, "use RSA, or EC with P-256");
  const broken = BROKEN.get(signatureAlgorithm(raw));
  // Clients do not check the self-signature of a root.
  if (broken !== undefined && !link.certificate.checkIssued(link.certificate))
    throw tlsInvalid(
      file,
      `${shownLink(link)} is signed with ${broken}`,
      "have it issued anew, with SHA-256",
    );
}

function checkLink(file: string, link: Link, issuer: Link): void {
  const { certificate } = link;
  if (!issuer.certificate.ca && certificate.issuer === issuer.certificate.subject)
    throw tlsInvalid(
      file,
      `${shownLink(issuer)} may issue none, and stands behind ${shownLink(link)} as if it had`,
      "give the certificates as the authority sent them",
    );
  if (!certificate.checkIssued(issuer.certificate))
    throw tlsInvalid(
      file,
      `${shownLink(link)} is not issued by the next one, ${shownLink(issuer)}, but by '${nameOf(certificate.issuer)}'`,
      "the server's own certificate comes first, and behind each the one that has issued it",
    );
  // hole: an issuer's name alone would pass for its signature
  if (!certificate.verify(issuer.certificate.publicKey))
    throw tlsInvalid(
      file,
      `${shownLink(link)} is not signed by the next one, ${shownLink(issuer)}, which has the issuer's name alone`,
      "give the issuer's certificate of the same time as this one",
    );
}

/** "the certificate of line 1 (b.example)". */
export const shownLink = ({ block, certificate }: Link): string =>
  `the certificate of line ${block.line} (${nameOf(certificate.subject)})`;

const nameOf = (distinguished: string | undefined): string =>
  /(?:^|\n)CN=([^\n]*)/.exec(distinguished ?? "")?.[1] ?? (distinguished ?? "").replaceAll("\n", ", ");

interface Element {
  readonly begin: number;
  readonly end: number;
}

/** The content of the DER element at this position. */
function elementAt(der: Uint8Array, at: number): Element {
  const length = der[at + 1] ?? 0;
  if (length < 0x80) return { begin: at + 2, end: at + 2 + length };
  const bytes = length - 0x80;
  let long = 0;
  for (let i = 0; i < bytes; i += 1) long = long * 256 + (der[at + 2 + i] ?? 0);
  return { begin: at + 2 + bytes, end: at + 2 + bytes + long };
}

/** The OID, such as "1.2.840.113549.1.1.11", which Node.js 20 does not expose. `der` is already validated (RFC 5280, section 4.1). */
function signatureAlgorithm(der: Uint8Array): string {
  const certificate = elementAt(der, 0);
  const signed = elementAt(der, certificate.begin);
  const algorithm = elementAt(der, signed.end);
  const { begin, end } = elementAt(der, algorithm.begin);
  return objectIdentifier(der.subarray(begin, end));
}

function objectIdentifier(bytes: Uint8Array): string {
  const parts: number[] = [];
  let part = 0;
  for (const byte of bytes) {
    part = part * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    parts.push(part);
    part = 0;
  }
  const [first = 0, ...others] = parts;
  const root = Math.min(2, Math.floor(first / 40));
  return [root, first - root * 40, ...others].join(".");
}

// Issues certificates (RFC 5280), which node:crypto cannot: for tests, each of which has its
// own, with whatever is wrong of it, and for scripts/dev-cert.mjs.

import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from "node:crypto";
import { isIP, isIPv4 } from "node:net";

type KeyKind = "p256" | "p224" | "rsa2048" | "rsa1024" | "ed25519";

export interface CertificateRequest {
  /** The common name. */
  readonly subject: string;
  /** Host names and addresses. None: no subjectAltName. */
  readonly names?: readonly string[];
  /** Without one it signs itself. */
  readonly issuer?: Issued;
  /** Whether it may issue others. Default: where it signs itself. */
  readonly isAuthority?: boolean;
  readonly key?: KeyKind | KeyObject;
  /** In milliseconds of 1970. Default: since a minute, for 90 days. */
  readonly from?: number;
  readonly until?: number;
  /** What it is for, as an object identifier. Default serverAuth, but for an authority. */
  readonly purpose?: string;
  /** Whose key it says that it has, in its key identifier. Default its own. */
  readonly claims?: KeyObject;
  /** Default "sha256". */
  readonly digest?: "sha256" | "sha1";
}

export interface Issued {
  readonly subject: string;
  /** PEM. */
  readonly cert: string;
  /** PKCS #8 in PEM. */
  readonly key: string;
  readonly privateKey: KeyObject;
}

const DAY_MS = 86_400_000;
const SERVER_AUTH = "1.3.6.1.5.5.7.3.1";

export function issue(request: CertificateRequest): Issued {
  const { subject, names = [], issuer, digest = "sha256" } = request;
  const { from = Date.now() - 60_000, until = Date.now() + 90 * DAY_MS } = request;
  const { isAuthority = issuer === undefined } = request;
  const { purpose = isAuthority ? undefined : SERVER_AUTH } = request;
  const privateKey = keyOf(request.key ?? "p256");
  const signing = issuer?.privateKey ?? privateKey;
  const algorithm = signatureAlgorithm(signing, digest);
  const spki = createPublicKey(privateKey).export({ type: "spki", format: "der" });
  const extensions = [
    extension("2.5.29.19", true, isAuthority ? sequence(TRUE) : sequence()),
    // digitalSignature, or keyCertSign and cRLSign.
    extension("2.5.29.15", true, isAuthority ? element(3, [0x01, 0x06]) : element(3, [0x07, 0x80])),
    ...(purpose === undefined ? [] : [extension("2.5.29.37", false, sequence(oid(purpose)))]),
    ...(names.length === 0 ? [] : [extension("2.5.29.17", false, sequence(...names.map(generalName)))]),
    extension("2.5.29.14", false, element(4, keyIdentifier(request.claims ?? privateKey))),
    extension(
      "2.5.29.35",
      false,
      sequence(element(0x80, keyIdentifier(issuer === undefined ? (request.claims ?? signing) : signing))),
    ),
  ];
  const signed = sequence(
    element(0xa0, element(2, [2])),
    element(2, Buffer.concat([Buffer.from([0x01]), randomBytes(15)])),
    algorithm,
    distinguishedName(issuer?.subject ?? subject),
    sequence(time(from), time(until)),
    distinguishedName(subject),
    spki,
    element(0xa3, sequence(...extensions)),
  );
  const isEd = signing.asymmetricKeyType === "ed25519";
  const signature = sign(isEd ? null : digest, signed, signing);
  const der = sequence(signed, algorithm, bitString(signature));
  return {
    subject,
    cert: pem("CERTIFICATE", der),
    key: String(privateKey.export({ type: "pkcs8", format: "pem" })),
    privateKey,
  };
}

/** In the shape of `framework` for a chain: the own certificate first. */
export const chainOf = (...issued: readonly Issued[]): string => issued.map(({ cert }) => cert).join("");

function keyOf(kind: KeyKind | KeyObject): KeyObject {
  if (typeof kind !== "string") return kind;
  if (kind === "ed25519") return generateKeyPairSync("ed25519").privateKey;
  if (kind === "p256" || kind === "p224") {
    const namedCurve = kind === "p256" ? "prime256v1" : "secp224r1";
    return generateKeyPairSync("ec", { namedCurve }).privateKey;
  }
  return generateKeyPairSync("rsa", { modulusLength: Number(kind.slice(3)) }).privateKey;
}

const SIGNATURES: Readonly<Record<string, string>> = {
  "rsa sha256": "1.2.840.113549.1.1.11",
  "rsa sha1": "1.2.840.113549.1.1.5",
  "ec sha256": "1.2.840.10045.4.3.2",
  "ec sha1": "1.2.840.10045.4.1",
};

function signatureAlgorithm({ asymmetricKeyType: type }: KeyObject, digest: string): Buffer {
  if (type === "ed25519") return sequence(oid("1.3.101.112"));
  const algorithm = oid(SIGNATURES[`${type} ${digest}`] as string);
  return type === "rsa" ? sequence(algorithm, element(5, [])) : sequence(algorithm);
}

const TRUE = Buffer.from([0x01, 0x01, 0xff]);

function element(tag: number, content: Uint8Array | readonly number[]): Buffer {
  const { length } = content;
  const head =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), Buffer.from(content)]);
}

const sequence = (...parts: readonly Uint8Array[]): Buffer => element(0x30, Buffer.concat(parts));

const bitString = (bytes: Uint8Array): Buffer => element(3, Buffer.concat([Buffer.from([0]), bytes]));

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...others] = text.split(".").map(Number);
  const bytes = [first * 40 + second, ...others].flatMap((part) => {
    const groups = [part & 0x7f];
    for (let rest = part >>> 7; rest > 0; rest >>>= 7) groups.unshift((rest & 0x7f) | 0x80);
    return groups;
  });
  return element(6, bytes);
}

const distinguishedName = (commonName: string): Buffer =>
  sequence(element(0x31, sequence(oid("2.5.4.3"), element(0x0c, Buffer.from(commonName)))));

/** GeneralizedTime from 2050 on, and UTCTime before (RFC 5280, 4.1.2.5). */
function time(ms: number): Buffer {
  const text = `${new Date(ms).toISOString().replace(/[-:T]/g, "").slice(0, 14)}Z`;
  return text < "2050" ? element(0x17, Buffer.from(text.slice(2))) : element(0x18, Buffer.from(text));
}

const generalName = (name: string): Buffer =>
  isIP(name) === 0 ? element(0x82, Buffer.from(name)) : element(0x87, addressBytes(name));

/** Not IPv6 addresses that end as IPv4 ones do. */
function addressBytes(address: string): readonly number[] {
  if (isIPv4(address)) return address.split(".").map(Number);
  const [before = [], behind = []] = address.split("::").map((half) => half.split(":").filter(Boolean));
  const zeros = Array<string>(8 - before.length - behind.length).fill("0");
  return [...before, ...zeros, ...behind].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

const extension = (id: string, isCritical: boolean, value: Uint8Array): Buffer =>
  sequence(oid(id), ...(isCritical ? [TRUE] : []), element(4, value));

const keyIdentifier = (key: KeyObject): Buffer =>
  createHash("sha1")
    .update(createPublicKey(key).export({ type: "spki", format: "der" }))
    .digest();

function pem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

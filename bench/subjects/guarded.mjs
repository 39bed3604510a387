// What the guarded order is guarded by, the same in every arm: who may call, from which
// page, how often, and what each answer carries.

import { createHmac, createPrivateKey, createPublicKey, sign, timingSafeEqual } from "node:crypto";

export const ORIGIN = "https://app.example.com";
export const BLOCKED = ["10.66.0.0/16", "192.0.2.7"];
/** Never reached: what is measured is counting, not refusing. */
export const RATE = { requests: 1_000_000, windowMs: 60_000 };

/** Twelve, as @fastify/helmet sends them. */
export const SECURITY = {
  "content-security-policy":
    "default-src 'self';base-uri 'self';font-src 'self' https: data:;form-action 'self';frame-ancestors 'self';img-src 'self' data:;object-src 'none';script-src 'self';script-src-attr 'none';style-src 'self' https: 'unsafe-inline';upgrade-insecure-requests",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "origin-agent-cluster": "?1",
  "referrer-policy": "no-referrer",
  "strict-transport-security": "max-age=31536000; includeSubDomains",
  "x-content-type-options": "nosniff",
  "x-dns-prefetch-control": "off",
  "x-download-options": "noopen",
  "x-frame-options": "SAMEORIGIN",
  "x-permitted-cross-domain-policies": "none",
  "x-xss-protection": "0",
};

export const SECRET = "a secret of more than thirty-two bytes, for HS256";
export const ISSUER = "https://issuer.example.com";
export const AUDIENCE = "api";
// PKCS #8 around 32 bytes that are the same in each process.
const ed25519 = createPrivateKey({
  key: Buffer.from(`302e020100300506032b657004220420${"2a".repeat(32)}`, "hex"),
  format: "der",
  type: "pkcs8",
});
export const PUBLIC_KEY = createPublicKey(ed25519).export({ type: "spki", format: "pem" });

const encoded = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** HS256 or EdDSA. */
export function makeToken(alg = "HS256") {
  const head = encoded({ alg, typ: "JWT" });
  const claims = encoded({ sub: "user-1", iss: ISSUER, aud: AUDIENCE, exp: 4_000_000_000 });
  const signed = `${head}.${claims}`;
  const signature =
    alg === "EdDSA"
      ? sign(null, Buffer.from(signed), ed25519)
      : createHmac("sha256", SECRET).update(signed).digest();
  return `${signed}.${signature.toString("base64url")}`;
}

export const verifying = { algorithms: ["HS256"], allowedIss: ISSUER, allowedAud: AUDIENCE };

/** Verified tokens by the header that brought them, bounded, never past their `exp`. */
export class Bearers {
  #known = new Map();

  /** Whose the header is; undefined for one that is not good. */
  subject(header) {
    const now = Date.now();
    const known = this.#known.get(header);
    if (known !== undefined && known.exp > now) return known.subject;
    const claims = verified(header);
    if (claims === undefined || claims.exp * 1000 <= now) return undefined;
    if (this.#known.size >= 10_000) this.#known.delete(this.#known.keys().next().value);
    this.#known.set(header, { subject: claims.sub, exp: claims.exp * 1000 });
    return claims.sub;
  }
}

function verified(header) {
  const [, head, claims, signature] = /^Bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(header) ?? [];
  if (signature === undefined) return undefined;
  const expected = createHmac("sha256", SECRET).update(`${head}.${claims}`).digest();
  const given = Buffer.from(signature, "base64url");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const { alg } = JSON.parse(Buffer.from(head, "base64url").toString());
  const told = JSON.parse(Buffer.from(claims, "base64url").toString());
  return alg === "HS256" && told.iss === ISSUER && told.aud === AUDIENCE ? told : undefined;
}

// What a certificate is signed with. Node.js 20 does not say, and its DER does:
// SEQUENCE { tbsCertificate, SEQUENCE { OBJECT IDENTIFIER, ... }, BIT STRING } (RFC 5280, 4.1).

interface Element {
  readonly begin: number;
  readonly end: number;
}

/** The content of the element that begins there. */
function elementAt(der: Uint8Array, at: number): Element {
  const length = der[at + 1] ?? 0;
  if (length < 0x80) return { begin: at + 2, end: at + 2 + length };
  const bytes = length - 0x80;
  let long = 0;
  for (let i = 0; i < bytes; i += 1) long = long * 256 + (der[at + 2 + i] ?? 0);
  return { begin: at + 2 + bytes, end: at + 2 + bytes + long };
}

/** As "1.2.840.113549.1.1.11", of a certificate that was parsed already. */
export function signatureAlgorithm(der: Uint8Array): string {
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

// The first message of a TLS handshake (RFC 8446, section 4.1.2), for a server name that no client library would write.

const u16 = (n: number): readonly number[] => [n >> 8, n & 255];
const vector = (bytes: readonly number[]): readonly number[] => [...u16(bytes.length), ...bytes];
const extension = (type: number, bytes: readonly number[]): readonly number[] => [
  ...u16(type),
  ...vector(bytes),
];

/** Offers TLS 1.2 alone, in which a server shows its certificate before anything is encrypted. */
export function clientHello(serverName: Uint8Array): Buffer {
  const extensions = [
    ...extension(0, vector([0, ...vector([...serverName])])),
    // P-256, uncompressed, and signatures of ECDSA and RSA with SHA-256.
    ...extension(10, vector(u16(23))),
    ...extension(11, [1, 0]),
    ...extension(13, vector([...u16(0x0403), ...u16(0x0804), ...u16(0x0401)])),
  ];
  const ciphers = vector([...u16(0xc02b), ...u16(0xc02f)]);
  const body = [3, 3, ...Array.from({ length: 32 }, () => 7), 0, ...ciphers, 1, 0, ...vector(extensions)];
  return Buffer.from([0x16, 3, 1, ...u16(body.length + 4), 1, 0, ...u16(body.length), ...body]);
}

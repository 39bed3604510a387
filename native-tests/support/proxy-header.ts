/** A header of the PROXY protocol, version 2, as Latin-1 text: from an IPv4 address, or `LOCAL`, by default with none. */
export function proxyHeader(source: string | undefined, isLocal = source === undefined): string {
  const addresses = source === undefined ? [] : [...source.split(".").map(Number), 192, 0, 2, 1, 4, 0, 0, 80];
  const command = isLocal ? 0x20 : 0x21;
  const family = source === undefined ? 0x00 : 0x11;
  const signature = "\r\n\r\n\0\r\nQUIT\n";
  return signature + String.fromCharCode(command, family, 0, addresses.length, ...addresses);
}

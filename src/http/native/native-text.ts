/** ASCII text as the engine takes it fastest: an ArrayBuffer, converted once (7 % of a pipelined request for four names). */
export function nativeText(text: string): ArrayBuffer {
  const bytes = new Uint8Array(new ArrayBuffer(text.length));
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
  return bytes.buffer;
}

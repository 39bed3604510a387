/**
 * An async iterable of text and bytes (an async generator, a web or Node.js stream), or a Blob.
 * Sent piece by piece, as the client takes them.
 */
export type ByteSource = AsyncIterable<string | Uint8Array> | ReadableStream<string | Uint8Array> | Blob;

/** True if a value is sent piece by piece. The pieces of an async iterable are checked as they arrive. */
export function isByteSource(value: unknown): value is ByteSource {
  if (typeof value !== "object" || value === null) return false;
  return Symbol.asyncIterator in value || isWebStream(value) || isBlob(value);
}

/** Streams of other implementations are recognised by their methods. */
export const isWebStream = (value: object): value is ReadableStream<string | Uint8Array> =>
  typeof (value as Partial<ReadableStream>).getReader === "function";

export const isBlob = (value: object): value is Blob =>
  typeof (value as Partial<Blob>).stream === "function" && typeof (value as Partial<Blob>).size === "number";

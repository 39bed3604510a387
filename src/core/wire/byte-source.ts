/**
 * An async iterable of text and bytes (an async generator, a stream of the web or of
 * Node.js), or a Blob. Answered piece by piece, as the client takes them.
 */
export type ByteSource = AsyncIterable<string | Uint8Array> | ReadableStream<string | Uint8Array> | Blob;

/** Whether a value is answered piece by piece. Of an async iterable the pieces show only as they come. */
export function isByteSource(value: unknown): value is ByteSource {
  if (typeof value !== "object" || value === null) return false;
  return Symbol.asyncIterator in value || isWebStream(value) || isBlob(value);
}

/** Those of other makes are told by what they can do. */
export const isWebStream = (value: object): value is ReadableStream<string | Uint8Array> =>
  typeof (value as Partial<ReadableStream>).getReader === "function";

export const isBlob = (value: object): value is Blob =>
  typeof (value as Partial<Blob>).stream === "function" && typeof (value as Partial<Blob>).size === "number";

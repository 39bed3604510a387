type Latin1Slice = (this: Buffer, begin: number, end: number) => string;

// The function behind `toString("latin1")`: half the time for a short text. Undocumented: if it
// is missing, `toString` is used.
const slice: Latin1Slice =
  (Buffer.prototype as { latin1Slice?: Latin1Slice }).latin1Slice ??
  function (begin, end) {
    return this.toString("latin1", begin, end);
  };

/** The text of bytes, one character each. For ASCII bytes. */
export const latin1Text = (bytes: Buffer): string => slice.call(bytes, 0, bytes.length);

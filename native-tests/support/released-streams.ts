import { Readable } from "node:stream";

import { respond } from "framework";

/** Streams of each make, and how many of them were cancelled. */
export function makes() {
  const released = { count: 0 };
  const release = (): void => {
    released.count += 1;
  };
  const iterable = (): AsyncIterable<string> => ({
    [Symbol.asyncIterator]: () => ({
      next: async () => ({ done: false, value: "more" }),
      return: async () => {
        release();
        return { done: true, value: undefined };
      },
    }),
  });
  const all = {
    iterable,
    web: () => new ReadableStream<string>({ cancel: release }),
    readable: () =>
      new Readable({
        read() {},
        destroy(_, done) {
          release();
          done(null);
        },
      }),
    replied: () => respond({ headers: { "x-kind": "stream" }, body: iterable() }),
  };
  return { released, all };
}

// A log book of any length, read line by line while it arrives.

import { Axon, Framework, fault, ProblemDetail, stream } from "framework";

const LONGEST_LINE = 1000;

const BAD_LINE = { status: 422, code: "BAD_LINE", title: "A line is no entry" };
const badLine = (line: number) => fault(new ProblemDetail({ ...BAD_LINE, extensions: { line } }));

/** The client is held back while an entry is kept: nothing piles up. */
const keepLog = Axon.start<AsyncIterable<Uint8Array>>("log").thenFn(
  "keep",
  { responses: [BAD_LINE] },
  async (body) => {
    let count = 0;
    for await (const line of linesOf(body)) {
      count += 1;
      if (!/^\d{4}-\d\d-\d\d /.test(line)) return badLine(count);
    }
    return { lines: count };
  },
);

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of body) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
    // A line that never ends would be kept whole.
    if (rest.length > LONGEST_LINE) yield "too long";
  }
  if (rest !== "") yield rest;
}

export const logBook = () =>
  Framework.http().post("/log", keepLog, {
    input: stream(),
    bodyLimit: 1024 * 1024 * 1024,
    timeoutMs: 600_000,
  });

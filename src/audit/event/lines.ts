// Lines of a file, read in pieces.

import { createReadStream } from "node:fs";

export interface Line {
  readonly text: string;
  /** Offset of the byte after its line break. */
  readonly end: number;
}

/** Longer lines are not written by this sink. */
const MAX_LINE = 1_048_576;

/** Lines from a byte on. Text after the last line break is incomplete and omitted. None for a missing file. */
export async function* linesOf(file: string, start = 0): AsyncGenerator<Line> {
  let rest: Buffer = Buffer.alloc(0);
  let end = start;
  try {
    for await (const piece of createReadStream(file, { start })) {
      rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
      let from = 0;
      for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10, from)) {
        end += at + 1 - from;
        yield { text: rest.toString("utf8", from, at), end };
        from = at + 1;
      }
      rest = rest.subarray(from);
      if (rest.length > MAX_LINE) throw new Error(`${file}: a line of more than ${MAX_LINE} bytes`);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

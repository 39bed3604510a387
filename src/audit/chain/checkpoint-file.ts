// Checkpoints as lines `{"number", "text"}` of an append-only file. Several processes may append: a
// line is one write, and a checkpoint that two processes append at once occurs twice. A line that a full
// disk or a kill cut short is followed by a whole one that begins with it.

import { mkdirSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";

import type { AuditCheckpoints, KeptCheckpoint } from "#core/ports/audit-sink.js";
import { type Line, linesOf } from "../event/lines.js";

/** More than the length of a line. */
const TAIL = 65_536;
const LINE_BREAK = 10;

export class CheckpointFile implements AuditCheckpoints {
  readonly #file: string;
  /** End of the last page: the next one begins there. */
  #cursor = { number: 0, end: 0 };

  constructor(file: string) {
    this.#file = file;
  }

  readonly put = async (checkpoint: KeptCheckpoint): Promise<boolean> => {
    const newest = await this.newest();
    if (newest !== undefined && newest.number >= checkpoint.number) return false;
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
    const handle = await open(this.#file, "a+", 0o600);
    try {
      const { size } = await handle.stat();
      const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
      const isWhole = size === 0 || buffer[0] === LINE_BREAK;
      // Rejects where only a part fits.
      await handle.appendFile(`${isWhole ? "" : "\n"}${JSON.stringify(checkpoint)}\n`);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    return true;
  };

  readonly newest = async (): Promise<KeptCheckpoint | undefined> => {
    let handle: Awaited<ReturnType<typeof open>>;
    try {
      handle = await open(this.#file, "r");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
    try {
      const { size } = await handle.stat();
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(TAIL), 0, TAIL, Math.max(0, size - TAIL));
      const lines = buffer.toString("utf8", 0, bytesRead).split("\n").slice(0, -1);
      let newest: KeptCheckpoint | undefined;
      for (const line of lines.slice(size > TAIL ? 1 : 0)) {
        const checkpoint = checkpointIn(line, (newest?.number ?? 0) + 1);
        if (newest === undefined || checkpoint.number >= newest.number) newest = checkpoint;
      }
      return newest;
    } finally {
      await handle.close();
    }
  };

  /** Every line, also those that appear twice or that another program put there. */
  async *lines(): AsyncGenerator<KeptCheckpoint> {
    let number = 0;
    for await (const { text } of wholeLines(linesOf(this.#file))) {
      const checkpoint = checkpointIn(text, number + 1);
      number = checkpoint.number;
      yield checkpoint;
    }
  }

  readonly list = async (after: number, limit: number): Promise<readonly KeptCheckpoint[]> => {
    const listed: KeptCheckpoint[] = [];
    let number = this.#cursor.number === after ? after : 0;
    const start = number === 0 ? 0 : this.#cursor.end;
    for await (const { text, end } of wholeLines(linesOf(this.#file, start))) {
      const checkpoint = checkpointIn(text, number + 1);
      // Appended twice.
      if (checkpoint.number === number && checkpoint.text === listed.at(-1)?.text) continue;
      number = checkpoint.number;
      if (number <= after) continue;
      listed.push(checkpoint);
      this.#cursor = { number, end };
      if (listed.length >= limit) break;
    }
    return listed;
  };
}

/** Without lines that the next one begins with: they say nothing that it does not say. */
async function* wholeLines(lines: AsyncIterable<Line>): AsyncGenerator<Line> {
  let before: Line | undefined;
  for await (const line of lines) {
    if (before !== undefined && !isBeginning(before.text, line.text)) yield before;
    before = line;
  }
  if (before !== undefined) yield before;
}

const isBeginning = (text: string, whole: string): boolean =>
  text.length < whole.length && whole.startsWith(text);

/** A malformed line counts as a checkpoint without a valid signature. */
function checkpointIn(line: string, number: number): KeptCheckpoint {
  try {
    const parsed = JSON.parse(line) as KeptCheckpoint;
    if (
      Number.isSafeInteger(parsed.number) &&
      typeof parsed.text === "string" &&
      JSON.stringify({ number: parsed.number, text: parsed.text }) === line
    )
      return parsed;
  } catch {
    // The text reports it.
  }
  return { number, text: line };
}

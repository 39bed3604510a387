// Writes log lines to a file descriptor that may block.

/** Returns the number of bytes written; throws EAGAIN if the descriptor would block. */
export type WriteSome = (bytes: Uint8Array) => number;

/** Formats gathered lines. Must not throw: it runs without a caller. */
export type FormatLines = (lines: readonly string[]) => string;

const asTheyAre: FormatLines = (lines) => lines.join("");

export interface LineOutputOptions {
  /** Limit of buffered bytes. Default 1 MiB. */
  readonly maxBytes?: number;
  /** Blocks the thread; used only at the end of the process. Tests pass their own. */
  readonly sleep?: (ms: number) => void;
}

const RETRY_MS = 10;
/** Writes up to this size are atomic on a pipe: gathered lines of several processes do not mix. */
const PIPE_BYTES = 4096;
/** Number of retries at the end of the process while nothing is accepted: half a second. */
const LAST_TRIES = 50;

export class LineOutput {
  /** Called with the number of dropped lines once lines are accepted again. May write a line. */
  onRecovered: (dropped: number) => void = () => {};
  readonly #writeSome: WriteSome;
  readonly #maxBytes: number;
  readonly #sleep: (ms: number) => void;
  readonly #kept: Uint8Array[] = [];
  #keptBytes = 0;
  #dropped = 0;
  #gathered: string[] = [];
  /** In characters, each of at least one byte. */
  #gatheredLength = 0;
  #format = asTheyAre;
  #timer: NodeJS.Timeout | undefined;

  constructor(writeSome: WriteSome, options: LineOutputOptions = {}) {
    this.#writeSome = writeSome;
    this.#maxBytes = options.maxBytes ?? 1_048_576;
    this.#sleep = options.sleep ?? halt;
  }

  write(line: string): void {
    this.#writeGathered();
    this.#write(Buffer.from(line));
  }

  /**
   * Writes the line at the end of the turn, batched with the turn's other lines up to the atomic
   * size of a pipe.
   */
  gather(line: string, format: FormatLines = asTheyAre): void {
    if (format !== this.#format || this.#gatheredLength + line.length > PIPE_BYTES) this.#writeGathered();
    this.#format = format;
    if (this.#gathered.length === 0) setImmediate(() => this.#writeGathered());
    this.#gathered.push(line);
    this.#gatheredLength += line.length;
    if (line.length > PIPE_BYTES) this.#writeGathered();
  }

  /** Writes the buffered lines while some are accepted. Blocks the thread. */
  flush(): void {
    this.#writeGathered();
    for (let tries = LAST_TRIES; this.#kept.length > 0 && tries > 0; tries -= 1) {
      const before = this.#keptBytes;
      this.#drain();
      if (this.#keptBytes < before) tries = LAST_TRIES;
      else if (this.#kept.length > 0) this.#sleep(RETRY_MS);
    }
  }

  #writeGathered(): void {
    if (this.#gathered.length === 0) return;
    const lines = this.#gathered;
    this.#gathered = [];
    this.#gatheredLength = 0;
    const bytes = Buffer.from(this.#format(lines));
    if (bytes.length <= PIPE_BYTES) this.#write(bytes);
    else for (const some of pipefuls(bytes)) this.#write(some);
  }

  #write(bytes: Uint8Array): void {
    if (this.#kept.length === 0) {
      this.#offer(bytes);
    } else if (this.#keptBytes + bytes.length <= this.#maxBytes) {
      this.#keep(bytes);
    } else {
      this.#dropped += linesIn(bytes);
    }
  }

  #offer(bytes: Uint8Array): void {
    const taken = this.#taken(bytes);
    if (taken === undefined) return;
    if (taken < bytes.length) this.#keep(bytes.subarray(taken));
    else this.#recovered();
  }

  #keep(bytes: Uint8Array): void {
    this.#kept.push(bytes);
    this.#keptBytes += bytes.length;
    // Unreferenced: it does not keep the process alive, and the exit handler flushes.
    this.#timer ??= setInterval(() => this.#drain(), RETRY_MS).unref();
  }

  #drain(): void {
    let last: number | undefined;
    for (let bytes = this.#kept[0]; bytes !== undefined; bytes = this.#kept[0]) {
      last = this.#taken(bytes);
      if (last === 0) return;
      const gone = last ?? bytes.length;
      this.#keptBytes -= gone;
      if (gone < bytes.length) this.#kept[0] = bytes.subarray(gone);
      else this.#kept.shift();
    }
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (last !== undefined) this.#recovered();
  }

  /** Undefined if the line is lost: its reader is gone, or the disk is full. */
  #taken(bytes: Uint8Array): number | undefined {
    try {
      return this.#writeSome(bytes);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") return 0;
      this.#dropped += linesIn(bytes);
      return undefined;
    }
  }

  #recovered(): void {
    if (this.#dropped === 0) return;
    const dropped = this.#dropped;
    this.#dropped = 0;
    this.onRecovered(dropped);
  }
}

const LINE_FEED = 10;

/** Chunks of whole lines, each up to the atomic size of a pipe and of at least one line. */
function pipefuls(bytes: Uint8Array): readonly Uint8Array[] {
  const all: Uint8Array[] = [];
  let begin = 0;
  for (let end = 0; end < bytes.length; ) {
    const feed = bytes.indexOf(LINE_FEED, end);
    const next = feed < 0 ? bytes.length : feed + 1;
    if (next - begin > PIPE_BYTES && end > begin) {
      all.push(bytes.subarray(begin, end));
      begin = end;
    }
    end = next;
  }
  all.push(bytes.subarray(begin));
  return all;
}

/** Number of lines in the bytes; counted only for lost lines. */
const linesIn = (bytes: Uint8Array): number => bytes.filter((byte) => byte === LINE_FEED).length;

const cell = new Int32Array(new SharedArrayBuffer(4));

const halt = (ms: number): void => {
  Atomics.wait(cell, 0, 0, ms);
};

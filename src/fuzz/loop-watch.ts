// Ends this process when its event loop stands still during a request: nothing that runs on the loop can end it.
// A thread watches, and says first which request it was.

import { url as inspected } from "node:inspector";
import { Worker } from "node:worker_threads";

const BEAT_MS = 50;

const THREAD = `
const { parentPort, workerData: { beats, limitMs } } = require("node:worker_threads");
const { writeSync } = require("node:fs");
let request;
let last = -1;
let since = 0;
parentPort.on("message", (sent) => {
  request = sent;
  since = performance.now();
});
setInterval(() => {
  const beat = Atomics.load(beats, 0);
  if (beat !== last) since = performance.now();
  last = beat;
  if (request === undefined || performance.now() - since < limitMs) return;
  writeSync(2, request + "\\n");
  process.kill(process.pid, "SIGKILL");
}, ${BEAT_MS});
`;

export class LoopWatch {
  readonly limitMs: number;
  readonly #beats = new Int32Array(new SharedArrayBuffer(4));
  readonly #thread: Worker;
  readonly #timer: NodeJS.Timeout;

  private constructor(limitMs: number) {
    this.limitMs = limitMs;
    this.#thread = new Worker(THREAD, { eval: true, workerData: { beats: this.#beats, limitMs } });
    this.#thread.unref();
    this.#timer = setInterval(() => Atomics.add(this.#beats, 0, 1), BEAT_MS);
    this.#timer.unref();
  }

  /** Undefined under a debugger, at whose breakpoints the loop stands still. */
  static begin(limitMs: number): LoopWatch | undefined {
    return inspected() === undefined ? new LoopWatch(limitMs) : undefined;
  }

  /** `route` is requested from now on; undefined if none is. */
  expect(route: string | undefined): void {
    const text = route && `${route}: a step blocks the event loop for more than ${this.limitMs} ms`;
    this.#thread.postMessage(text);
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#thread.terminate();
  }
}

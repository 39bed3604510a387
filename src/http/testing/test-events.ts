import { EventReader, type ReadEvent } from "./event-reader.js";
import { TestResponse } from "./test-response.js";

/** How long a test waits for an event that does not come. */
const PATIENCE_MS = 10_000;

/** A stream of events that a TestApp answered, read event by event: `for await (const { data } of events)`. */
export class TestEvents implements AsyncIterable<ReadEvent>, AsyncDisposable {
  readonly #reader: EventReader;
  readonly #incoming: Incoming;

  /** @internal */
  constructor(incoming: Incoming) {
    this.#incoming = incoming;
    this.#reader = incoming.reader;
  }

  /** Those of the answer, by lower-case name. */
  get headers(): TestResponse["headers"] {
    return new TestResponse(this.#incoming.head, new Uint8Array()).headers;
  }

  /** The next event; undefined where the stream has ended. Rejects where none comes within `timeoutMs`. */
  async next(timeoutMs = PATIENCE_MS): Promise<ReadEvent | undefined> {
    const endsAt = performance.now() + timeoutMs;
    while (this.#reader.events.length === 0 && !this.#incoming.isOver)
      await this.#incoming.more(endsAt - performance.now());
    return this.#reader.events.shift();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ReadEvent, void> {
    for (let event = await this.next(); event !== undefined; event = await this.next()) yield event;
  }

  /** What the client would send as Last-Event-ID; "" for nothing. */
  get lastEventId(): string {
    return this.#reader.lastId;
  }

  /** How long the client was told to wait before it comes back; undefined for its own time. */
  get retryMs(): number | undefined {
    return this.#reader.retryMs;
  }

  /** Comments that came: heartbeats. */
  get comments(): readonly string[] {
    return this.#reader.comments;
  }

  /** How it ended; undefined while it is open. */
  get end(): "whole" | "cut" | undefined {
    return this.#incoming.end;
  }

  /** The client goes away. */
  close(): Promise<void> {
    this.#incoming.leave();
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** What arrives of one stream. */
export class Incoming {
  readonly reader = new EventReader();
  end: "whole" | "cut" | undefined;
  leave: () => void = () => {};
  head: readonly string[] = [];
  /** When the first piece of a stream of events has come. */
  readonly begun: Promise<void>;
  #begin: () => void = () => {};
  readonly #wake = new Set<() => void>();
  readonly #decoder = new TextDecoder();

  constructor() {
    this.begun = new Promise((resolve) => {
      this.#begin = resolve;
    });
  }

  get isStream(): boolean {
    return this.head.includes("content-type: text/event-stream");
  }

  take(piece: Uint8Array, head: readonly string[]): void {
    if (this.head.length === 0) {
      this.head = [...head];
      if (this.isStream) this.#begin();
    }
    this.reader.read(this.#decoder.decode(piece, { stream: true }));
    this.#tell();
  }

  get isOver(): boolean {
    return this.end !== undefined;
  }

  finish(end: "whole" | "cut"): void {
    this.end ??= end;
    this.#tell();
  }

  /** Waits for another piece, or the end. */
  more(timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const woken = (): void => {
        clearTimeout(timer);
        this.#wake.delete(woken);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#wake.delete(woken);
        reject(new Error("No event came in the time that a test waits for one"));
      }, timeoutMs);
      this.#wake.add(woken);
    });
  }

  #tell(): void {
    for (const woken of this.#wake) woken();
  }
}

/** What a test is told whose answer is no stream of events. */
export const noEvents = (target: string, { status, headers, text }: TestResponse): Error =>
  new Error(`GET ${target}: no events but ${status} ${headers["content-type"] ?? ""}: ${text.slice(0, 200)}`);

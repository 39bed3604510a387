import { TestResponse } from "./test-response.js";

/** Time-out of waiting for an event. */
const PATIENCE_MS = 10_000;

/** A stream of events: `for await (const { data } of events)`. */
export class TestEvents implements AsyncIterable<ReadEvent>, AsyncDisposable {
  /** @internal Resolves with the first piece of a stream of events. */
  readonly begun: Promise<void>;
  /** @internal */
  leave: () => void = () => {};
  readonly #reader = new EventReader();
  readonly #wake = new Set<() => void>();
  readonly #decoder = new TextDecoder();
  #head: readonly string[] = [];
  #end: "whole" | "cut" | undefined;
  #begin: () => void = () => {};

  /** @internal */
  constructor() {
    this.begun = new Promise((resolve) => {
      this.#begin = resolve;
    });
  }

  /** Headers by lower-case name. */
  get headers(): TestResponse["headers"] {
    return new TestResponse(this.#head, new Uint8Array()).headers;
  }

  /** Resolves to the next event, or undefined at the end. Rejects if no event arrives within `timeoutMs`. */
  async next(timeoutMs = PATIENCE_MS): Promise<ReadEvent | undefined> {
    const endsAt = performance.now() + timeoutMs;
    while (this.#reader.events.length === 0 && this.#end === undefined)
      await this.#more(endsAt - performance.now());
    return this.#reader.events.shift();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ReadEvent, void> {
    for (let event = await this.next(); event !== undefined; event = await this.next()) yield event;
  }

  /** The Last-Event-ID of a reconnection; "" for none. */
  get lastEventId(): string {
    return this.#reader.lastId;
  }

  /** The last retry time that the server sent. */
  get retryMs(): number | undefined {
    return this.#reader.retryMs;
  }

  /** Received comments, such as heartbeats. */
  get comments(): readonly string[] {
    return this.#reader.comments;
  }

  /** The end of the stream; undefined while it is open. */
  get end(): "whole" | "cut" | undefined {
    return this.#end;
  }

  /** Disconnects the client. */
  close(): Promise<void> {
    this.leave();
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** @internal */
  get isStream(): boolean {
    return this.#head.includes("content-type: text/event-stream");
  }

  /** @internal */
  take(piece: Uint8Array, head: readonly string[]): void {
    if (this.#head.length === 0) {
      this.#head = [...head];
      if (this.isStream) this.#begin();
    }
    this.#reader.read(this.#decoder.decode(piece, { stream: true }));
    this.#tell();
  }

  /** @internal */
  finish(end: "whole" | "cut"): void {
    this.#end ??= end;
    this.#tell();
  }

  /** Waits for the next piece, or the end. */
  #more(timeoutMs: number): Promise<void> {
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

export const noEvents = (target: string, { status, headers, text }: TestResponse): Error =>
  new Error(`GET ${target}: no events but ${status} ${headers["content-type"] ?? ""}: ${text.slice(0, 200)}`);

export interface ReadEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string;
}

/** Parses pieces of text/event-stream like a browser (HTML Standard, section 9.2.6). */
export class EventReader {
  readonly events: ReadEvent[] = [];
  readonly comments: string[] = [];
  lastId = "";
  retryMs: number | undefined;
  #rest = "";
  #isFirst = true;
  #event = "";
  #data = "";
  #id = "";

  read(piece: string): this {
    this.#rest += piece;
    if (this.#isFirst && this.#rest !== "") {
      this.#isFirst = false;
      if (this.#rest.startsWith("\ufeff")) this.#rest = this.#rest.slice(1);
    }
    for (;;) {
      const end = this.#rest.search(/[\r\n]/);
      // A CR at the end of a piece may be half of a CR LF.
      if (end < 0 || (this.#rest[end] === "\r" && end + 1 === this.#rest.length)) return this;
      const line = this.#rest.slice(0, end);
      this.#rest = this.#rest.slice(this.#rest.startsWith("\r\n", end) ? end + 2 : end + 1);
      this.#line(line);
    }
  }

  #line(line: string): void {
    if (line === "") this.#dispatch();
    else if (line.startsWith(":")) this.comments.push(line.slice(1));
    else {
      const colon = line.indexOf(":");
      const name = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      this.#field(name, value);
    }
  }

  #field(name: string, value: string): void {
    if (name === "event") this.#event = value;
    if (name === "data") this.#data += `${value}\n`;
    if (name === "id" && !value.includes("\0")) this.#id = value;
    if (name === "retry" && /^[0-9]+$/.test(value)) this.retryMs = Number(value);
  }

  #dispatch(): void {
    this.lastId = this.#id;
    if (this.#data !== "") {
      this.events.push({
        event: this.#event === "" ? "message" : this.#event,
        data: this.#data.replace(/\n$/, ""),
        id: this.lastId,
      });
    }
    this.#data = "";
    this.#event = "";
  }
}

// Clients of streams of events: what they read over a socket, chunks and all.

import type { Socket } from "node:net";

import { dial, get } from "./wire.js";

/** Reads a text/event-stream whose lines end with LF, as the servers under test write them. */
export class EventStream {
  readonly events: { readonly event: string; readonly data: string; readonly id: string }[] = [];
  readonly comments: string[] = [];
  lastId = "";
  retryMs: number | undefined;
  #rest = "";

  read(piece: string): void {
    const blocks = (this.#rest + piece).split("\n\n");
    this.#rest = blocks.pop() as string;
    for (const block of blocks) this.#block(block.split("\n"));
  }

  #block(lines: readonly string[]): void {
    const fields = lines.map((line) => /^(\w*): ?(.*)$/.exec(line)?.slice(1) ?? [line, ""]);
    const of = (name: string) => fields.filter(([field]) => field === name).map(([, value = ""]) => value);
    this.comments.push(...of(""));
    this.lastId = of("id").at(-1) ?? this.lastId;
    this.retryMs = of("retry").map(Number).at(-1) ?? this.retryMs;
    const data = of("data");
    if (data.length > 0)
      this.events.push({ event: of("event")[0] ?? "message", data: data.join("\n"), id: this.lastId });
  }
}

/** A connection that reads events; `raw` is all that came, chunks and all. */
export class EventListener {
  readonly socket: Socket;
  readonly reader = new EventStream();
  raw = "";
  end: "open" | "ended" | "reset" = "open";
  #rest = Buffer.alloc(0);

  constructor(address: string, target: string, ...headers: readonly string[]) {
    this.socket = dial(address);
    this.socket.on("data", (piece) => this.#take(piece));
    this.socket.on("end", () => (this.end = "ended"));
    this.socket.on("error", () => (this.end = "reset"));
    this.socket.on("close", () => {
      if (this.end === "open") this.end = "ended";
    });
    this.socket.write(get(target, "Accept: text/event-stream", ...headers));
  }

  get data(): readonly string[] {
    return this.reader.events.map(({ data }) => data);
  }

  /** Whether the last chunk has come, which is empty. */
  get isWhole(): boolean {
    return this.raw.endsWith("\r\n0\r\n\r\n");
  }

  #take(piece: Buffer): void {
    this.raw = (this.raw + piece.toString("latin1")).slice(-100_000);
    this.#rest = Buffer.concat([this.#rest, piece]);
    if (this.reader.retryMs === undefined && !this.#rest.includes("\r\n\r\n")) return;
    if (this.reader.comments.length + this.reader.events.length === 0 && this.reader.retryMs === undefined)
      this.#rest = this.#rest.subarray(this.#rest.indexOf("\r\n\r\n") + 2);
    this.#chunks();
    // As clients do that were told that the connection ends with the answer.
    if (this.isWhole) this.socket.end();
  }

  // The engine ends a chunk with what it writes before the next.
  #chunks(): void {
    for (;;) {
      const [line, size] = /^\r\n([0-9a-f]+)\r\n/.exec(this.#rest.subarray(0, 20).toString("latin1")) ?? [];
      if (line === undefined || size === undefined) return;
      const end = line.length + Number.parseInt(size, 16);
      if (this.#rest.length < end) return;
      this.reader.read(this.#rest.subarray(line.length, end).toString());
      this.#rest = this.#rest.subarray(end);
    }
  }
}

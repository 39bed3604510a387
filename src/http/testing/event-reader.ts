// Reads text/event-stream as a browser does, written after the HTML Standard, section
// 9.2.6, and not after what it tests.

export interface ReadEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string;
}

/** What was read of a stream so far. Pieces may end anywhere. */
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

  /** Takes a piece; "" at its end is not needed. */
  read(piece: string): this {
    this.#rest += piece;
    if (this.#isFirst && this.#rest !== "") {
      this.#isFirst = false;
      if (this.#rest.startsWith("\ufeff")) this.#rest = this.#rest.slice(1);
    }
    for (;;) {
      const end = this.#rest.search(/[\r\n]/);
      // A CR at the very end may be half of a CR LF.
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

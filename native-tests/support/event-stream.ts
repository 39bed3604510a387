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

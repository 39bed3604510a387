import type { NativeRequest, NativeText } from "../../native/port.js";

/** A request in memory, like the engine's: header names in lower case, values trimmed. */
export class MemoryRequest implements NativeRequest {
  readonly #path: string;
  readonly #query: string | undefined;
  readonly #headers: readonly (readonly [string, string])[];

  constructor(target: string, headers: readonly (readonly [string, string])[]) {
    const mark = target.indexOf("?");
    this.#path = mark < 0 ? target : target.slice(0, mark);
    this.#query = mark < 0 ? undefined : target.slice(mark + 1);
    this.#headers = headers.map(([name, value]) => [
      name.toLowerCase(),
      value.replace(/^[ \t]+|[ \t]+$/g, ""),
    ]);
  }

  getUrl(): string {
    return this.#path;
  }

  getQuery(): string | undefined {
    return this.#query;
  }

  getHeader(lowerCaseName: NativeText): string {
    const wanted = asText(lowerCaseName);
    return this.#headers.find(([name]) => name === wanted)?.[1] ?? "";
  }

  forEach(each: (name: string, value: string) => void): void {
    for (const [name, value] of this.#headers) each(name, value);
  }
}

export function asText(text: NativeText): string {
  return typeof text === "string" ? text : Buffer.from(asBytes(text)).toString("latin1");
}

export function asBytes(data: NativeText): Uint8Array {
  return typeof data === "string" ? Buffer.from(data) : new Uint8Array(data);
}

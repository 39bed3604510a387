import type { NativeRequest, NativeText } from "../native/port.js";
import { withPlainTags } from "./coded-tags.js";

/** Those that compare tags of whole answers. If-Range compares positions, which differ in what is coded. */
const CONDITIONS: ReadonlySet<string> = new Set(["if-none-match", "if-match"]);

/** A request with the tags of coded answers, as a program reads it that knows its own tags alone. */
export class PlainTagsRequest implements NativeRequest {
  readonly #request: NativeRequest;

  constructor(request: NativeRequest) {
    this.#request = request;
  }

  getCaseSensitiveMethod(): string {
    return this.#request.getCaseSensitiveMethod();
  }

  getUrl(): string {
    return this.#request.getUrl();
  }

  getQuery(): string | undefined {
    return this.#request.getQuery();
  }

  getHeader(lowerCaseName: NativeText): string {
    return read(lowerCaseName, this.#request.getHeader(lowerCaseName));
  }

  forEach(each: (name: string, value: string) => void): void {
    this.#request.forEach((name, value) => {
      each(name, read(name, value));
    });
  }
}

const read = (name: NativeText, value: string): string =>
  typeof name === "string" && CONDITIONS.has(name) ? withPlainTags(value) : value;

import type { NativeRequest } from "./port.js";

const HOST = 1;
const EXPECT = 2;
const CONTENT_TYPE = 4;
const CONTENT_ENCODING = 8;

/**
 * The header fields that decide before a request is routed, taken in one walk over
 * all of them: only a walk shows whether one stands there twice. "" for a field that
 * is absent or empty; the counts tell the two apart.
 */
export class HeadFields {
  contentLength = "";
  transferEncoding = "";
  /** How often each of the two stands there. */
  lengths = 0;
  codings = 0;
  host = "";
  expect = "";
  contentType = "";
  contentEncoding = "";
  /** Bits of the fields that were seen: an empty one was, too. */
  #seen = 0;

  read(request: NativeRequest): void {
    this.contentLength = "";
    this.transferEncoding = "";
    this.lengths = 0;
    this.codings = 0;
    this.host = "";
    this.expect = "";
    this.contentType = "";
    this.contentEncoding = "";
    this.#seen = 0;
    request.forEach(this.#take);
  }

  // Made once: a closure for each request would cost more than what it does. Of a
  // field that stands there twice the first counts, empty or not, as in a look-up by name.
  readonly #take = (name: string, value: string): void => {
    switch (name) {
      case "content-length":
        this.lengths += 1;
        if (this.lengths === 1) this.contentLength = value;
        break;
      case "transfer-encoding":
        this.codings += 1;
        if (this.codings === 1) this.transferEncoding = value;
        break;
      case "host":
        if (this.#isFirst(HOST)) this.host = value;
        break;
      case "expect":
        if (this.#isFirst(EXPECT)) this.expect = value;
        break;
      case "content-type":
        if (this.#isFirst(CONTENT_TYPE)) this.contentType = value;
        break;
      case "content-encoding":
        if (this.#isFirst(CONTENT_ENCODING)) this.contentEncoding = value;
        break;
    }
  };

  #isFirst(field: number): boolean {
    const isFirst = (this.#seen & field) === 0;
    this.#seen |= field;
    return isFirst;
  }
}

import type { NativeRequest } from "./port.js";

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

  read(request: NativeRequest): void {
    this.contentLength = "";
    this.transferEncoding = "";
    this.lengths = 0;
    this.codings = 0;
    this.host = "";
    this.expect = "";
    this.contentType = "";
    this.contentEncoding = "";
    request.forEach(this.#take);
  }

  // Made once: a closure for each request would cost more than what it does. Of a
  // field that stands there twice the first counts, as in a look-up by name.
  readonly #take = (name: string, value: string): void => {
    switch (name) {
      case "content-length":
        this.lengths += 1;
        this.contentLength ||= value;
        break;
      case "transfer-encoding":
        this.codings += 1;
        this.transferEncoding ||= value;
        break;
      case "host":
        this.host ||= value;
        break;
      case "expect":
        this.expect ||= value;
        break;
      case "content-type":
        this.contentType ||= value;
        break;
      case "content-encoding":
        this.contentEncoding ||= value;
        break;
    }
  };
}

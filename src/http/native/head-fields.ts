import type { NativeRequest } from "./port.js";

/** What the walk leaves with the request itself; "" and false where a field is absent. Made anew for each. */
export interface ReadHead {
  host: string;
  origin: string;
  /** Whether a caller's trace stands there, be it well-formed or not. */
  isTraced: boolean;
  contentType: string;
  contentEncoding: string;
}

/** A power of two, as large as tells apart what browsers and proxies send, and most of what others add. */
const STAMPS = 2048;

/**
 * The header fields that decide before a request is routed, and whose page sends it, taken in one walk over
 * all of them: only a walk shows whether one stands there twice. "" for a field that
 * is absent or empty; the counts tell the two apart. Of a field that is repeated the
 * last line is here: where `mayRepeat` says so, whoever decides by one reads them anew.
 */
export class HeadFields {
  contentLength = "";
  transferEncoding = "";
  /** How often each of the two stands there. */
  lengths = 0;
  codings = 0;
  expect = "";
  /** Whether some field may stand there twice. Never false where one does; rarely true where none does. */
  mayRepeat = false;
  /** At each place the last request that had a field whose name leads there. */
  readonly #stamps = new Int32Array(STAMPS);
  #request = 0;
  #head: ReadHead = { host: "", origin: "", isTraced: false, contentType: "", contentEncoding: "" };

  read(request: NativeRequest, head: ReadHead): void {
    this.#head = head;
    this.contentLength = "";
    this.transferEncoding = "";
    this.lengths = 0;
    this.codings = 0;
    this.expect = "";
    this.mayRepeat = false;
    this.#request = (this.#request + 1) | 0;
    request.forEach(this.#take);
  }

  // Made once: a closure for each request would cost more than what it does. The length
  // tells most names apart. The stamps cost 3 ns a header (docs/decisions/0003).
  readonly #take = (name: string, value: string): void => {
    const place = placeOf(name);
    if (this.#stamps[place] === this.#request) this.mayRepeat = true;
    else this.#stamps[place] = this.#request;
    switch (name.length) {
      case 4:
        if (name === "host") this.#head.host = value;
        break;
      case 6:
        if (name === "expect") this.expect = value;
        else if (name === "origin") this.#head.origin = value;
        break;
      case 11:
        if (name === "traceparent") this.#head.isTraced = true;
        break;
      case 12:
        if (name === "content-type") this.#head.contentType = value;
        break;
      case 14:
        if (name === "content-length") {
          this.lengths += 1;
          this.contentLength = value;
        }
        break;
      case 16:
        if (name === "content-encoding") this.#head.contentEncoding = value;
        break;
      case 17:
        if (name === "transfer-encoding") {
          this.codings += 1;
          this.transferEncoding = value;
        }
        break;
    }
  };
}

/** No two of the usual names lead to one place: the factors were searched for. */
function placeOf(name: string): number {
  const { length } = name;
  const spread = name.charCodeAt(length - 2) * 65 + name.charCodeAt(length >> 1) * 131 + length * 127;
  return spread & (STAMPS - 1);
}

/**
 * All that stands in each of the fields, the lines of one that is repeated joined as
 * RFC 9110, section 5.3, and for cookies RFC 9113, section 8.2.3, say; "" for one that is absent.
 */
export function joinedFields(request: NativeRequest, names: readonly string[]): readonly string[] {
  const found = names.map(() => "");
  request.forEach((name, value) => {
    const at = names.indexOf(name);
    if (at < 0 || value === "") return;
    const before = found[at] as string;
    found[at] = before === "" ? value : `${before}${name === "cookie" ? "; " : ", "}${value}`;
  });
  return found;
}

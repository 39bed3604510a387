import { brotliDecompressSync, gunzipSync } from "node:zlib";

/** RFC 9457. */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly request_id: string;
  readonly instance: string;
  readonly detail?: string;
  readonly errors?: readonly {
    readonly pointer: string;
    readonly keyword: string;
    readonly expected: string;
  }[];
  readonly [extension: string]: unknown;
}

export class TestResponse {
  readonly status: number;
  /** By lower-case name; repeated ones are joined by ", ". No prototype. */
  readonly headers: Readonly<Record<string, string>>;
  /** Each `set-cookie`. */
  readonly setCookies: readonly string[];
  /** The body, decoded as by `fetch`. */
  readonly bytes: Uint8Array;

  /** Throws where the body does not have the coding of the head. */
  constructor(head: readonly string[], body: Uint8Array) {
    const [status = "", ...lines] = head;
    const headers: Record<string, string> = Object.create(null);
    const setCookies: string[] = [];
    for (const line of lines) {
      const colon = line.indexOf(":");
      const name = line.slice(0, colon).toLowerCase();
      const value = line.slice(colon + 1).trim();
      if (name === "set-cookie") setCookies.push(value);
      headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
    }
    this.status = Number(status.slice(0, 3));
    this.headers = headers;
    this.setCookies = setCookies;
    // A part cannot be decoded.
    this.bytes = this.status === 206 ? body : decoded(body, headers["content-encoding"]);
  }

  get text(): string {
    return new TextDecoder().decode(this.bytes);
  }

  /** Throws where the body is no JSON. */
  get json(): unknown {
    return JSON.parse(this.text);
  }

  /** Throws with the response where it is no problem. */
  get problem(): ProblemDocument {
    if (this.headers["content-type"] === "application/problem+json") return this.json as ProblemDocument;
    throw new Error(
      `Not a problem but ${this.status} ${this.headers["content-type"]}: ${this.text.slice(0, 200)}`,
    );
  }
}

/** A response to HEAD has a coding, and no body. */
function decoded(body: Uint8Array, coding: string | undefined): Uint8Array {
  if (body.length === 0) return body;
  if (coding === "br") return brotliDecompressSync(body);
  return coding === "gzip" ? gunzipSync(body) : body;
}

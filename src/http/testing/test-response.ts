import { brotliDecompressSync, gunzipSync } from "node:zlib";

/** A problem document (RFC 9457). */
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
  /** Headers by lower-case name; repeated headers are joined by ", ". The object has no prototype. */
  readonly headers: Readonly<Record<string, string>>;
  /** Values of all `set-cookie` headers. */
  readonly setCookies: readonly string[];
  /** The body, with its content coding decoded, like `fetch`. */
  readonly bytes: Uint8Array;

  /** Throws if the body does not have the coding of its head. */
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
    // A range of a coded body cannot be decoded.
    this.bytes = this.status === 206 ? body : decoded(body, headers["content-encoding"]);
  }

  get text(): string {
    return new TextDecoder().decode(this.bytes);
  }

  /** The body as JSON. Throws if it is not JSON. */
  get json(): unknown {
    return JSON.parse(this.text);
  }

  /** The body as a problem document. Throws, with the response in the message, for any other response. */
  get problem(): ProblemDocument {
    if (this.headers["content-type"] === "application/problem+json") return this.json as ProblemDocument;
    throw new Error(
      `Not a problem but ${this.status} ${this.headers["content-type"]}: ${this.text.slice(0, 200)}`,
    );
  }
}

/** Decodes the body. A response to HEAD has a coding, but no body. */
function decoded(body: Uint8Array, coding: string | undefined): Uint8Array {
  if (body.length === 0) return body;
  if (coding === "br") return brotliDecompressSync(body);
  return coding === "gzip" ? gunzipSync(body) : body;
}

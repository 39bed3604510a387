// How one file is sent: its head, made once and not for each request.

import { headerLine } from "#core/header-syntax.js";
import { httpDate } from "#core/http-date.js";
import type { AnswerHead, AnswerHeads } from "../answer-heads.js";
import type { FileVariant } from "./file-variant.js";

/** What the head says beside what the file itself does. */
export interface HeadParts {
  readonly type: string;
  readonly cacheControl: string;
  /** Whether the path has other variants, of which the request chooses. */
  readonly varies: boolean;
  /** Whether clients are told not to guess another type. */
  readonly nosniff: boolean;
}

/** Blocks that are kept of one: for each set of headers that guards put before it. A route has two at most. */
const MAX_BLOCKS = 4;

export class Representation {
  readonly variant: FileVariant;
  readonly type: string;
  /** Milliseconds since 1970, in whole seconds, never to come (RFC 9110, section 8.8.2.1). */
  readonly lastModified: number;
  /** Of 304: what a cache writes over what it has. */
  readonly unmodifiedLines: string;
  /** All but the content type, which a part says of itself. */
  readonly untypedLines: string;
  readonly lines: string;
  readonly #blocks = new Map<AnswerHeads, AnswerHead>();

  constructor(variant: FileVariant, { type, cacheControl, varies, nosniff }: HeadParts, now: number) {
    const { stored, etag, modifiedMs } = variant;
    this.variant = variant;
    this.type = type;
    this.lastModified = Math.floor(Math.min(modifiedMs, now) / 1000) * 1000;
    this.unmodifiedLines =
      headerLine("etag", etag) +
      headerLine("cache-control", cacheControl) +
      (varies ? headerLine("vary", "accept-encoding") : "");
    this.untypedLines =
      (stored === "identity" ? "" : headerLine("content-encoding", stored)) +
      this.unmodifiedLines +
      headerLine("last-modified", httpDate(this.lastModified)) +
      headerLine("accept-ranges", "bytes") +
      (nosniff ? headerLine("x-content-type-options", "nosniff") : "");
    this.lines = headerLine("content-type", type) + this.untypedLines;
  }

  get etag(): string {
    return this.variant.etag;
  }

  /** The head of the whole file, behind the headers of guards. */
  head(heads: AnswerHeads): AnswerHead {
    let head = this.#blocks.get(heads);
    if (head !== undefined) return head;
    head = heads.kept(200, this.lines);
    if (this.#blocks.size < MAX_BLOCKS) this.#blocks.set(heads, head);
    return head;
  }
}

// The heads of one response: uncoded, uncoded with Vary, and coded.

import { mediaTypeOf } from "#core/wire/content-type.js";
import type { AnswerHead, AnswerHeads } from "../../exchange/answer-heads.js";
import type { Coding } from "../../plan/compression-rules.js";
import { withCodedTag } from "./coded-tags.js";

/** Sent on uncoded responses too (RFC 9110, section 12.5.5). */
const VARY = "\r\nvary: accept-encoding";

const VARIES = /\r\nvary: (?:[^\r]*[, \t])?(?:\*|accept-encoding)(?:[, \t\r]|$)/i;

export class AnswerForms {
  /** True if Accept-Encoding decides the coding of the response. */
  readonly isCodable: boolean;
  readonly #head: AnswerHead;
  readonly #heads: AnswerHeads;
  readonly #vary: string;
  #varied: AnswerHead | undefined;
  readonly #coded = new Map<Coding, AnswerHead>();

  /** `heads` has made `head`. */
  constructor(head: AnswerHead, heads: AnswerHeads, types: readonly string[]) {
    const { status, lines, block } = head;
    // A block that was built once is bytes, not text.
    const whole = typeof block === "string" ? block : (heads.of(status, lines).block as string);
    this.isCodable = isCodable(status, whole, types);
    this.#head = head;
    this.#heads = heads;
    this.#vary = VARIES.test(whole) ? "" : VARY;
  }

  /** The head of an uncoded body, with Vary. */
  get varied(): AnswerHead {
    this.#varied ??= this.#vary === "" ? this.#head : this.of(this.#head.lines);
    return this.#varied;
  }

  coded(coding: Coding): AnswerHead {
    let head = this.#coded.get(coding);
    if (head === undefined) {
      head = this.of(`${withCodedTag(this.#head.lines, coding)}\r\ncontent-encoding: ${coding}`);
      this.#coded.set(coding, head);
    }
    return head;
  }

  /** The head with other lines. */
  of(lines: string): AnswerHead {
    return this.#heads.of(this.#head.status, lines + this.#vary);
  }
}

const LIKE_TEXT =
  /^(?:text\/.+|.+\+(?:json|xml|text|yaml)|application\/(?:json|javascript|ecmascript|x-javascript|xml|xml-dtd|ndjson|x-ndjson|jsonl|json-seq|yaml|x-yaml|toml|sql|rtf|graphql|wasm|x-www-form-urlencoded)|font\/(?:ttf|otf|collection)|image\/(?:bmp|x-icon|vnd\.microsoft\.icon))$/;

/** Never compressed: events must not be delayed, problems are small. */
const LEFT_ALONE: ReadonlySet<string> = new Set(["text/event-stream", "application/problem+json"]);

/** False for media and archives, which are compressed already. */
export function isCompressible(contentType: string, more: readonly string[] = []): boolean {
  const type = mediaTypeOf(contentType);
  if (type === undefined || LEFT_ALONE.has(type)) return false;
  return LIKE_TEXT.test(type) || more.includes(type);
}

// A coded body (RFC 9110, section 8.4), a range (section 14.4), or a body with a digest (RFC 9530).
const UNCHANGEABLE = /\r\n(?:content-encoding|content-range|content-digest|repr-digest|content-md5): /;

const NO_TRANSFORM = /\r\ncache-control: [^\r]*\bno-transform\b/i;

const TYPE = /\r\ncontent-type: ([^\r]*)/;

/** True if these headers forbid compression, for any content type. */
export const forbidsCoding = (lines: string): boolean =>
  lines !== "" && (UNCHANGEABLE.test(lines) || NO_TRANSFORM.test(lines));

export function isCodable(status: number, lines: string, types: readonly string[]): boolean {
  // 206 has positions in the uncoded body; the other statuses have no body.
  if (status < 200 || status === 204 || status === 205 || status === 206 || status === 304) return false;
  const [, type = ""] = TYPE.exec(lines) ?? [];
  return isCompressible(type, types) && !forbidsCoding(lines);
}

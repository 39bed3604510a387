// The heads with which one answer may go out: as it is, as it might have been coded, coded.

import type { Coding } from "../accept-encoding.js";
import type { AnswerHead, AnswerHeads } from "../answer-heads.js";
import { withCodedTag } from "./coded-tags.js";
import { isCodable } from "./compressible.js";

/** Also on what is sent as it is: another client gets the same coded (RFC 9110, section 12.5.5). */
const VARY = "\r\nvary: accept-encoding";

const VARIES = /\r\nvary: (?:[^\r]*[, \t])?(?:\*|accept-encoding)(?:[, \t\r]|$)/i;

export class AnswerForms {
  /** Whether a client's wish may decide how it is sent. */
  readonly isCodable: boolean;
  readonly #head: AnswerHead;
  readonly #heads: AnswerHeads;
  readonly #vary: string;
  #varied: AnswerHead | undefined;
  readonly #coded = new Map<Coding, AnswerHead>();

  /** `head` was made by `heads`. */
  constructor(head: AnswerHead, heads: AnswerHeads, types: readonly string[]) {
    const { status, lines, block } = head;
    // A block that was made once cannot be read any more.
    const whole = typeof block === "string" ? block : (heads.of(status, lines).block as string);
    this.isCodable = isCodable(status, whole, types);
    this.#head = head;
    this.#heads = heads;
    this.#vary = VARIES.test(whole) ? "" : VARY;
  }

  /** Of a body that is sent as it is. */
  get varied(): AnswerHead {
    this.#varied ??= this.#vary === "" ? this.#head : this.#of(this.#head.lines);
    return this.#varied;
  }

  coded(coding: Coding): AnswerHead {
    let head = this.#coded.get(coding);
    if (head === undefined) {
      head = this.#of(`${withCodedTag(this.#head.lines, coding)}\r\ncontent-encoding: ${coding}`);
      this.#coded.set(coding, head);
    }
    return head;
  }

  /** Of an answer without a body that has other lines. */
  revised(lines: string): AnswerHead {
    return this.#of(lines);
  }

  #of(lines: string): AnswerHead {
    return this.#heads.of(this.#head.status, lines + this.#vary);
  }
}

// The compression state that all responses of one ingress share.

import type { AnswerHead, AnswerHeads } from "../../exchange/answer-heads.js";
import type { Coding, CompressionRules } from "../../plan/compression-rules.js";
import { chosenCoding, parseAcceptEncoding, refusesIdentity } from "../accept-encoding.js";
import { AnswerForms } from "./answer-forms.js";
import { Encoder } from "./encoder.js";

export interface Wish {
  /** The chosen coding; undefined for uncoded. */
  readonly coding: Coding | undefined;
  /** True if the client refuses uncoded bodies. */
  readonly isUrgent: boolean;
}

/** Cached Accept-Encoding values: clients send few. Others are parsed each time. */
const MAX_WISHES = 100;
const MAX_WISH_LENGTH = 128;

export class Compression {
  readonly rules: CompressionRules;
  readonly encoder: Encoder;
  readonly #wishes = new Map<string, Wish>();
  /** Keyed by heads that are built once. */
  readonly #forms = new WeakMap<AnswerHead, AnswerForms>();

  constructor(rules: CompressionRules) {
    this.rules = rules;
    this.encoder = new Encoder(rules);
  }

  wishOf(acceptEncoding: string): Wish {
    let wish = this.#wishes.get(acceptEncoding);
    if (wish === undefined) {
      const accepted = parseAcceptEncoding(acceptEncoding);
      wish = {
        coding: chosenCoding(accepted, this.rules.codings),
        isUrgent: refusesIdentity(accepted),
      };
      if (this.#wishes.size < MAX_WISHES && acceptEncoding.length <= MAX_WISH_LENGTH)
        this.#wishes.set(acceptEncoding, wish);
    }
    return wish;
  }

  /** `heads` has made `head`. */
  formsOf(head: AnswerHead, heads: AnswerHeads): AnswerForms {
    if (typeof head.block === "string") return new AnswerForms(head, heads, this.rules.types);
    let forms = this.#forms.get(head);
    if (forms === undefined) {
      forms = new AnswerForms(head, heads, this.rules.types);
      this.#forms.set(head, forms);
    }
    return forms;
  }
}

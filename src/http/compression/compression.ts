// What the answers of one ingress share that compresses them.

import { type Coding, chosenCoding, parseAcceptEncoding, refusesIdentity } from "../accept-encoding.js";
import type { AnswerHead, AnswerHeads } from "../answer-heads.js";
import { AnswerForms } from "./answer-forms.js";
import type { CompressionRules } from "./compression-rules.js";
import { Encoder } from "./encoder.js";

/** What a client is sent. */
export interface Wish {
  /** Undefined for bodies as they are. */
  readonly coding: Coding | undefined;
  /** Whether it takes no body as it is. */
  readonly isUrgent: boolean;
}

/** Clients write few different ones, and who writes others has them read each time. */
const MAX_WISHES = 100;
const MAX_WISH_LENGTH = 128;

export class Compression {
  readonly rules: CompressionRules;
  readonly encoder: Encoder;
  readonly #wishes = new Map<string, Wish>();
  /** Of heads that are made once. */
  readonly #forms = new WeakMap<AnswerHead, AnswerForms>();

  constructor(rules: CompressionRules) {
    this.rules = rules;
    this.encoder = new Encoder(rules);
  }

  /** What a client wants that writes this Accept-Encoding, "" for none. */
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

  /** The forms of an answer that begins with `head`, which `heads` has made. */
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

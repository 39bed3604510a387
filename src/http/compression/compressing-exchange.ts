// One request whose answer may be compressed.
//
//   CX1. What is kept of an answer, for requests with the same idempotency key, is kept as it
//        was made: the next client may take other codings.
//   CX2. While a thread compresses it, an answer waits for its turn (X1): it counts as in
//        flight, no other takes its place, and a client that leaves takes nothing with it.
//   CX3. Where the threads have enough to do, where zlib fails or gains nothing, the answer
//        goes out as it was made.

import type { Coding } from "../accept-encoding.js";
import type { AnswerHead } from "../answer-heads.js";
import type { AnswerStream } from "../native/answer-stream.js";
import { Exchange } from "../native/exchange.js";
import type { ExchangeLedger } from "../native/exchange-ledger.js";
import { joinedFields } from "../native/head-fields.js";
import type { NativeRequest, NativeResponse } from "../native/port.js";
import type { AnswerForms } from "./answer-forms.js";
import { CodedStream } from "./coded-stream.js";
import { mayHoldCodedTag, withAskedTag, withCodedTag } from "./coded-tags.js";
import { forbidsCoding } from "./compressible.js";
import type { Compression, Wish } from "./compression.js";
import { AT_ONCE_BYTES, FLUSHES } from "./encoder.js";
import { PlainTagsRequest } from "./plain-tags-request.js";

const NOTHING: Wish = { coding: undefined, isUrgent: false };

export class CompressingExchange extends Exchange {
  readonly #compression: Compression;
  #wish: Wish = NOTHING;
  /** The If-None-Match of who keeps a coded answer; "" for everybody else. */
  #asked = "";
  #isLeftAlone = false;

  constructor(response: NativeResponse, ledger: ExchangeLedger, compression: Compression) {
    super(response, ledger);
    this.#compression = compression;
  }

  /** Takes what the client says of codings; answers the request as steps may read it. Of the gate's own word on repeated headers. */
  negotiate(request: NativeRequest): NativeRequest {
    const [accepted, asked, condition] = this.repeats
      ? (joinedFields(request, ["accept-encoding", "if-none-match", "if-match"]) as [string, string, string])
      : [
          request.getHeader("accept-encoding"),
          request.getHeader("if-none-match"),
          request.getHeader("if-match"),
        ];
    this.#wish = this.#compression.wishOf(accepted);
    if (mayHoldCodedTag(asked)) this.#asked = asked;
    else if (!mayHoldCodedTag(condition)) return request;
    return new PlainTagsRequest(request);
  }

  override leaveAlone(): void {
    this.#isLeftAlone = true;
  }

  override stream(head: AnswerHead, length?: number, ends = false): AnswerStream {
    const forms = this.#isLeftAlone ? undefined : this.#compression.formsOf(head, this.heads);
    // A length that was said is the body's, and another than that of what is coded.
    if (length !== undefined || !forms?.isCodable || forbidsCoding(this.lines))
      return super.stream(head, length, ends);
    const { coding } = this.#wish;
    // Before anything is written: of what cannot be coded nothing says that it is (CX3).
    const coder = coding && this.#compression.encoder.open(coding);
    if (coding === undefined || coder === undefined) return super.stream(forms.varied, undefined, ends);
    this.lines = withCodedTag(this.lines, coding);
    const stream = super.stream(forms.coded(coding), undefined, ends);
    if (!stream.isOver) return new CodedStream(stream, coder, FLUSHES[coding]);
    coder.destroy();
    return stream;
  }

  protected override deliver(head: AnswerHead, body: string | Uint8Array | null, ends: boolean): void {
    const forms = this.#isLeftAlone ? undefined : this.#compression.formsOf(head, this.heads);
    if (forms !== undefined && head.status === 304) this.#deliverUnmodified(head, forms, ends);
    else if (body === null || !forms?.isCodable || forbidsCoding(this.lines)) super.deliver(head, body, ends);
    else this.#deliverCodable(forms, body, ends);
  }

  #deliverUnmodified({ lines }: AnswerHead, forms: AnswerForms, ends: boolean): void {
    const { coding } = this.#wish;
    const { codings } = this.#compression.rules;
    const first = coding === undefined ? codings : [coding, ...codings];
    this.lines = withAskedTag(this.lines, this.#asked, first);
    super.deliver(forms.revised(withAskedTag(lines, this.#asked, first)), null, ends);
  }

  #deliverCodable(forms: AnswerForms, body: string | Uint8Array, ends: boolean): void {
    const { coding, isUrgent } = this.#wish;
    const { encoder, rules } = this.#compression;
    const length = typeof body === "string" ? Buffer.byteLength(body) : body.length;
    const isWorthIt = length > 0 && (length >= rules.minBytes || isUrgent);
    const isAtOnce = length <= AT_ONCE_BYTES;
    if (coding === undefined || !isWorthIt || (!isAtOnce && encoder.isBusy)) {
      super.deliver(forms.varied, body, ends);
      return;
    }
    const made = (coded: Uint8Array | undefined): void => {
      if (coded === undefined || (coded.length >= length && !isUrgent)) {
        super.deliver(forms.varied, body, ends);
        return;
      }
      this.lines = withCodedTag(this.lines, coding);
      super.deliver(forms.coded(coding), coded, ends);
    };
    if (isAtOnce) made(encoder.now(body, coding));
    else this.#encodeLater(body, coding, made);
  }

  #encodeLater(
    body: string | Uint8Array,
    coding: Coding,
    made: (coded: Uint8Array | undefined) => void,
  ): void {
    // A copy: what a step has answered is its own, and may change while a thread reads it.
    const copy = typeof body === "string" ? Buffer.from(body) : Buffer.from(body);
    this.postpone();
    this.#compression.encoder.later(copy, coding, (coded) => {
      if (this.phase === "aborted") return;
      try {
        made(coded);
      } catch {
        // Nobody else is left to catch it.
        this.close();
      }
    });
  }
}

// A request whose response may be compressed. Under an idempotency key the uncoded response is stored.
// While a thread compresses it, the response is in phase "sending" (X1). It is sent uncoded if the
// threads are busy, zlib fails, or compression saves nothing.

import type { AnswerHead } from "../../exchange/answer-heads.js";
import type { AnswerStream } from "../../exchange/answer-stream.js";
import { Exchange } from "../../exchange/exchange.js";
import type { ExchangeLedger } from "../../exchange/in-flight.js";
import { joinedFields } from "../../native/head-fields.js";
import type { NativeRequest, NativeResponse } from "../../native/port.js";
import type { Coding } from "../../plan/compression-rules.js";
import { type AnswerForms, forbidsCoding } from "./answer-forms.js";
import { CodedStream } from "./coded-stream.js";
import { mayHoldCodedTag, PlainTagsRequest, withAskedTag, withCodedTag } from "./coded-tags.js";
import type { Compression, Wish } from "./compression.js";
import { AT_ONCE_BYTES, FLUSHES } from "./encoder.js";

const NOTHING: Wish = { coding: undefined, isUrgent: false };

export class CompressingExchange extends Exchange {
  readonly #compression: Compression;
  #wish: Wish = NOTHING;
  /** If-None-Match if it has a coded tag, else "". */
  #asked = "";
  #isLeftAlone = false;

  constructor(response: NativeResponse, ledger: ExchangeLedger, compression: Compression) {
    super(response, ledger);
    this.#compression = compression;
  }

  /** Reads Accept-Encoding. Returns the request as steps read it. */
  negotiate(request: NativeRequest): NativeRequest {
    const [accepted = "", asked = "", condition = ""] = this.needsWalk
      ? joinedFields(request, ["accept-encoding", "if-none-match", "if-match"])
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
    // The given length would be wrong for a coded body.
    if (length !== undefined || !forms?.isCodable || forbidsCoding(this.lines))
      return super.stream(head, length, ends);
    const { coding } = this.#wish;
    // Opened before the head is written, which must not announce a failed coding.
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
    super.deliver(forms.of(withAskedTag(lines, this.#asked, first)), null, ends);
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
    // A copy, because the step may change its bytes while a thread reads them.
    const copy = typeof body === "string" ? Buffer.from(body) : Buffer.from(body);
    this.postpone();
    this.#compression.encoder.later(copy, coding, (coded) => {
      if (this.phase === "aborted") return;
      try {
        made(coded);
      } catch {
        // No caller catches this error.
        this.close();
      }
    });
  }
}

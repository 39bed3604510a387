// From the conditions and ranges of a request to its answer, in the order of RFC 9110, section 13.2.2.

import { matchesStrongly } from "#core/entity-tag.js";
import { guardCodes } from "#core/error-codes.js";
import { parseHttpDate } from "#core/http-date.js";
import { type Fault, fault } from "#core/outcome.js";
import { type Conditions, verdictOf } from "#core/preconditions.js";
import { ProblemDetail } from "#core/problem-detail.js";
import { Refusal } from "../refusal.js";
import type { SentAnswer } from "../sent-answer.js";
import { contentRange, rangesOf } from "./byte-ranges.js";
import { PartsOfFile, UnmodifiedFile, WholeFile } from "./file-answers.js";
import type { FileSender } from "./file-sender.js";
import type { FileVariant } from "./file-variant.js";
import type { Representation } from "./representation.js";

/** What a request says of what it wants to get; undefined for a field that is absent. */
export interface Asked extends Conditions {
  readonly method: string;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
}

const refused = (code: "PRECONDITION_FAILED" | "PRECONDITION_INVALID"): Fault<ProblemDetail> =>
  fault(new ProblemDetail({ code, ...guardCodes[code] }));

const FAILED = refused("PRECONDITION_FAILED");
const MALFORMED = refused("PRECONDITION_INVALID");

/** A file that can be answered. Its usual answers are made once. */
export class SelectableFile {
  readonly variant: FileVariant;
  readonly #file: Representation;
  readonly #sender: FileSender;
  readonly #whole: SentAnswer;
  readonly #unmodified: SentAnswer;

  constructor(file: Representation, sender: FileSender) {
    this.variant = file.variant;
    this.#file = file;
    this.#sender = sender;
    this.#whole = new WholeFile(file, sender);
    this.#unmodified = new UnmodifiedFile(file);
  }

  /** `now` is in milliseconds since 1970. */
  answerTo(asked: Asked, now: number): SentAnswer | Fault<ProblemDetail | Refusal> {
    if (isConditional(asked)) {
      switch (verdictOf(asked, this.#file, true, now)) {
        case "failed":
          return FAILED;
        case "malformed":
          return MALFORMED;
        case "unmodified":
          return this.#unmodified;
      }
    }
    // Of HEAD it says nothing (section 14.2).
    if (asked.range === undefined || asked.method !== "GET") return this.#whole;
    if (asked.ifRange !== undefined && !isCurrent(asked.ifRange, this.#file, now)) return this.#whole;
    return this.#partsOf(asked.range);
  }

  #partsOf(range: string): SentAnswer | Fault<Refusal> {
    const { size } = this.#file.variant;
    const ranges = rangesOf(range, size);
    if (ranges === "whole") return this.#whole;
    if (ranges !== "none") return new PartsOfFile(this.#file, this.#sender, ranges);
    const headers = { "content-range": contentRange(undefined, size) };
    return fault(new Refusal("RANGE_UNSATISFIABLE", { headers }));
  }
}

const isConditional = ({ ifMatch, ifUnmodifiedSince, ifNoneMatch, ifModifiedSince }: Conditions): boolean =>
  (ifMatch ?? ifUnmodifiedSince ?? ifNoneMatch ?? ifModifiedSince) !== undefined;

/**
 * Whether what a client has a part of is this file (RFC 9110, section 13.1.5). A date tells of
 * a whole second: of one that is not over it cannot tell.
 */
function isCurrent(ifRange: string, { etag, lastModified }: Representation, now: number): boolean {
  if (ifRange.startsWith('"') || ifRange.startsWith("W/")) return matchesStrongly(ifRange, etag);
  return parseHttpDate(ifRange, now) === lastModified && now - lastModified >= 1000;
}

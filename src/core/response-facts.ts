// What guards say of answers, as declarations and as Bus keys. An ingress applies them to
// the answers of what a guard stands before, and of an ingress-level guard to every answer,
// so that it needs no guard's name. A step that is no guard says what it writes, and no more.
//
//   RF1. A header that two guards name is the inner one's; only `vary` is joined. Of
//        `vary` and `set-cookie` all that is written stands beside the rest.
//   RF2. What a guard or a step has written stands in place of what guards have on every
//        answer. Of two that write one header the later one's counts.
//   RF3. What a step says itself by `respond` is written in place of such a header.
//   RF4. Of cookies of one name that are written the last one counts: an answer should hold
//        no two (RFC 6265, section 4.1.1). Those of `respond` stand beside them.

import { type AnyKey, type BusKey, namedKey } from "./bus-key.js";

/** Response headers by their names, in any case. */
export type HeaderFields = Readonly<Record<string, string>>;

/** Checked when a route is mounted. Throws HEADER_INVALID there. */
export interface ResponseHeaders {
  /** On each answer, whether or not the guard has run: part of a block that is made once. */
  readonly always?: HeaderFields;
  /** The same, where the client speaks https: HSTS must not be sent otherwise (RFC 6797, section 7.2). */
  readonly overHttps?: HeaderFields;
  /** On answers after the guard has run, by what it wrote. */
  readonly written?: readonly WrittenHeader[];
}

/** One header that follows from a key of the Bus. Made by {@link writtenHeader}. */
export interface WrittenHeader {
  readonly key: AnyKey;
  readonly name: string;
  /** Its value; undefined for none. */
  readonly textOf: (written: never) => string | undefined;
}

/** A header whose value follows from what the guard or step writes under `key`. */
export const writtenHeader = <T, Name extends string>(
  key: BusKey<T, Name>,
  name: string,
  textOf: (written: T) => string | undefined,
): WrittenHeader => ({ key, name, textOf });

/** What a cross-origin request is answered with, beside its answer. */
export const CorsHeaders = namedKey<HeaderFields, "CorsHeaders">("CorsHeaders");

/** How much of its rate a client has left. */
export type RateLimitHeaders = {
  /** Requests that a full bucket allows. */
  readonly limit: number;
} & (
  | {
      readonly remaining: number;
      /** Seconds until the bucket is full again, rounded up. */
      readonly resetSeconds: number;
    }
  /** Where rates could not be counted, and the guard admits nonetheless. */
  | { readonly remaining: undefined; readonly resetSeconds: undefined }
);

export const RateLimitHeaders = namedKey<RateLimitHeaders, "RateLimitHeaders">("RateLimitHeaders");

/** What a page needs to know of its security headers. */
export interface SecurityHeaders {
  /** For `<script nonce>` and `<style nonce>`: new for each request; undefined where the policy has none. */
  readonly nonce: string | undefined;
}

export const SecurityHeaders = namedKey<SecurityHeaders, "SecurityHeaders">("SecurityHeaders");

/** What is a member of a log line without further ado. */
export type LoggedValue = string | number | boolean | null;

/** What the access log will tell of the answer. */
export interface AccessLogEntry {
  readonly method: string;
  /** As the line will have it: redacted, and cut. */
  readonly path: string;
  /** What was added, by its name on the line. */
  readonly fields: ReadonlyMap<string, LoggedValue>;
  /**
   * Adds members to the line: at most 16 of them, names of up to 64 characters, texts of up
   * to 256. A name that the line has already gets a "_" behind it; one that was added before
   * has its value replaced.
   */
  add(fields: Readonly<Record<string, LoggedValue>>): void;
}

export const AccessLogEntry = namedKey<AccessLogEntry, "AccessLogEntry">("AccessLogEntry");

// What guards say of answers, as declarations and as Bus keys, for an ingress to apply. Of two
// guards the inner one says a header, of two that write it the later one; `respond` takes the
// place of both. Only `vary` is joined, and `set-cookie` stands beside others: of one name the
// last that is written counts (RFC 6265, section 4.1.1), beside those of `respond`.

import { type AnyKey, type BusKey, namedKey } from "../bus/bus-key.js";

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

/** A browser's question before a cross-origin request (Fetch, section 3.3.2: CORS-preflight). */
export interface Preflight {
  readonly origin: string;
  /** The origin of this server as the client sees it: scheme, host, and the port where it is not the scheme's. */
  readonly ownOrigin: string;
  readonly method: string;
  /** Its `access-control-request-headers`; "" for none. */
  readonly headers: string;
}

/**
 * Which other origins' pages may use a route. An ingress asks it for every answer of what
 * the guard stands before, whoever made the answer: without these headers a page cannot
 * even read why it was refused.
 */
export interface CorsPolicy {
  /**
   * The header lines of an answer to a request of this origin, as `headerLines` makes them; "" for none.
   * Asked with "" of a request that names no origin: a cache may give its answer to a page later (Fetch,
   * "CORS protocol and HTTP caches").
   */
  readonly linesFor: (origin: string, ownOrigin: string) => string;
  /** The same of the answer to a preflight, which is 204 and runs nothing. Beside the guards' `always`. */
  readonly preflight: (preflight: Preflight) => string;
}

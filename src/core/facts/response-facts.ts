// Response headers of guards, as declarations and as Bus keys for an ingress to apply. If two
// guards declare a header, the inner one wins. If two write it, the later one wins. `respond`
// overrides both. `vary` is joined. `set-cookie` lines are added: the last of one name counts
// (RFC 6265, section 4.1.1).

import { type AnyKey, type BusKey, namedKey } from "../bus/bus-key.js";

export type HeaderFields = Readonly<Record<string, string>>;

/** Checked when a route is mounted, which throws HEADER_INVALID. */
export interface ResponseHeaders {
  /** On every response, whether or not the guard has run. Built once. */
  readonly always?: HeaderFields;
  /** As `always`, for https only: HSTS must not be sent otherwise (RFC 6797, section 7.2). */
  readonly overHttps?: HeaderFields;
  /** On responses after the guard has run, from the values it wrote. */
  readonly written?: readonly WrittenHeader[];
}

/** One header computed from a Bus key. Made by {@link writtenHeader}. */
export interface WrittenHeader {
  readonly key: AnyKey;
  readonly name: string;
  /** The header's value; undefined for no header. */
  readonly textOf: (written: never) => string | undefined;
}

/** A header computed from the value that the guard or step writes under `key`. */
export const writtenHeader = <T, Name extends string>(
  key: BusKey<T, Name>,
  name: string,
  textOf: (written: T) => string | undefined,
): WrittenHeader => ({ key, name, textOf });

/** Additional headers for the response to a cross-origin request. */
export const CorsHeaders = namedKey<HeaderFields, "CorsHeaders">("CorsHeaders");

export type RateLimitHeaders = {
  /** Capacity of the bucket, in requests. */
  readonly limit: number;
} & (
  | {
      readonly remaining: number;
      /** Seconds until the bucket is full, rounded up. */
      readonly resetSeconds: number;
    }
  /** The rate store failed and the guard admits requests in that case. */
  | { readonly remaining: undefined; readonly resetSeconds: undefined }
);

export const RateLimitHeaders = namedKey<RateLimitHeaders, "RateLimitHeaders">("RateLimitHeaders");

/** Security values that a page needs. */
export interface SecurityHeaders {
  /** For `<script nonce>` and `<style nonce>`: new for each request; undefined if the policy has none. */
  readonly nonce: string | undefined;
}

export const SecurityHeaders = namedKey<SecurityHeaders, "SecurityHeaders">("SecurityHeaders");

/** Values that a log line takes as members unchanged. */
export type LoggedValue = string | number | boolean | null;

/** The access log line of the response. */
export interface AccessLogEntry {
  readonly method: string;
  /** As logged: redacted and truncated. */
  readonly path: string;
  /** Added members, by their names on the line. */
  readonly fields: ReadonlyMap<string, LoggedValue>;
  /**
   * Adds members to the line: at most 16, with names of up to 64 characters and texts of up to
   * 256. A name that the line already uses gets a "_" appended. Adding a name again replaces its
   * value.
   */
  add(fields: Readonly<Record<string, LoggedValue>>): void;
}

export const AccessLogEntry = namedKey<AccessLogEntry, "AccessLogEntry">("AccessLogEntry");

/** A CORS preflight request (Fetch, section 3.3.2). */
export interface Preflight {
  readonly origin: string;
  /** The origin of this server as the client sees it: scheme, host, and the port if it is not the default. */
  readonly ownOrigin: string;
  readonly method: string;
  /** Its `access-control-request-headers`; "" if none. */
  readonly headers: string;
}

/**
 * Decides which other origins' pages may use a route. An ingress calls it for every response of
 * the routes behind the guard, whichever component made it: without these headers a page
 * cannot read why it was refused.
 */
export interface CorsPolicy {
  /**
   * Header lines for the response to a request of this origin, as `headerLines` makes them; "" if
   * none. `origin` is "" if the request names none: a cache may serve that response to a page
   * later (Fetch, "CORS protocol and HTTP caches").
   */
  readonly linesFor: (origin: string, ownOrigin: string) => string;
  /** Header lines for the response to a preflight: 204, without a run. Sent beside the guards' `always`. */
  readonly preflight: (preflight: Preflight) => string;
}

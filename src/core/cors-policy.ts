/** A browser's question before a cross-origin request (Fetch, section 3.3.2: CORS-preflight). */
export interface Preflight {
  /** Its `origin` header. */
  readonly origin: string;
  /** The origin of this server as the client sees it: scheme, host, and the port where it is not the scheme's. */
  readonly ownOrigin: string;
  /** Its `access-control-request-method`. */
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

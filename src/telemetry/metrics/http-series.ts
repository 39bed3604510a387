import type { CountedAnswer } from "#core/ports/answer-observer.js";
import { CountHistory } from "./measure/count-history.js";
import { LatencySeries } from "./measure/latency-series.js";
import type { Measured } from "./measure/measured.js";
import { type RouteSnapshot, STATUS_CLASSES } from "./metrics-snapshot.js";

/** The methods of RFC 9110, and PATCH. Clients may send any word. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]);
const OTHER = "OTHER";
const REQUESTS = 0;
const FAILURES = 1;
/** Index in STATUS_CLASSES. */
const SERVER_ERRORS = STATUS_CLASSES.indexOf("5xx");
const ABORTED = STATUS_CLASSES.indexOf("aborted");

/** Responses to requests of one method and route. 11 KB plus its durations. */
export class RouteSeries {
  readonly method: string;
  /** Null for requests that match no route. */
  readonly route: string | null;
  /** In the order of STATUS_CLASSES. */
  readonly totals = new Float64Array(STATUS_CLASSES.length);
  bytes = 0;
  readonly latencies: LatencySeries;

  constructor(method: string, route: string | null, latencies: LatencySeries) {
    this.method = method;
    this.route = route;
    this.latencies = latencies;
  }
}

/** Requests of an ingress, by method and route. Beyond `maxRoutes` they count as matching no route. */
export class HttpSeries {
  readonly latencies: LatencySeries;
  readonly #counts = new Float64Array(2);
  readonly #history = new CountHistory();
  readonly #byRoute = new Map<string | null, Map<string, RouteSeries>>();
  readonly #measured: Measured;
  readonly #maxRoutes: number;
  #routes = 0;
  #last: RouteSeries | undefined;

  constructor(measured: Measured, maxRoutes: number) {
    this.#measured = measured;
    this.#maxRoutes = maxRoutes;
    this.latencies = new LatencySeries(measured);
  }

  tick(tick: number): void {
    this.#history.note(tick, this.#counts);
  }

  readonly countDuring = (firstTick: number, lastTick?: number): number =>
    this.#history.during(REQUESTS, firstTick, lastTick);

  /** Number of responses with status 500 and above. */
  readonly faultsDuring = (firstTick: number, lastTick?: number): number =>
    this.#history.during(FAILURES, firstTick, lastTick);

  *routes(): Iterable<RouteSeries> {
    for (const methods of this.#byRoute.values()) yield* methods.values();
  }

  byRoute(): readonly RouteSnapshot[] {
    return [...this.routes()].flatMap(({ method, route, totals }) =>
      STATUS_CLASSES.flatMap((statusClass, at) => {
        const total = totals[at] as number;
        return total === 0 ? [] : [{ method, route, statusClass, total }];
      }),
    );
  }

  readonly count = ({ method, route, status, bytes, durationMs, isAborted }: CountedAnswer): void => {
    const series = this.#lastOr(method, route ?? null);
    const at = placeOf(status, isAborted);
    series.totals[at] = (series.totals[at] as number) + 1;
    series.bytes += bytes;
    series.latencies.record(durationMs * 1000);
    const counts = this.#counts;
    counts[REQUESTS] = (counts[REQUESTS] as number) + 1;
    if (status >= 500) counts[FAILURES] = (counts[FAILURES] as number) + 1;
  };

  /** The next response is most likely of the same route as the last. */
  #lastOr(method: string, route: string | null): RouteSeries {
    if (this.#last?.method !== method || this.#last.route !== route)
      this.#last = this.#seriesOf(METHODS.has(method) ? method : OTHER, route);
    return this.#last;
  }

  #seriesOf(method: string, route: string | null): RouteSeries {
    const known = this.#byRoute.get(route)?.get(method);
    if (known !== undefined) return known;
    // Requests that match no route always have a series for each method.
    if (route !== null && this.#routes >= this.#maxRoutes) return this.#seriesOf(method, null);
    if (route !== null) this.#routes += 1;
    const series = new RouteSeries(method, route, new LatencySeries(this.#measured, this.latencies));
    const methods = this.#byRoute.get(route) ?? new Map<string, RouteSeries>();
    this.#byRoute.set(route, methods.set(method, series));
    return series;
  }
}

/** Index of the status class in STATUS_CLASSES. */
function placeOf(status: number, isAborted: boolean): number {
  if (isAborted || status < 100) return ABORTED;
  return status < 600 ? Math.floor(status / 100) - 1 : SERVER_ERRORS;
}

export interface HealthCheckOptions {
  /** Includes the check in readiness. Default true. */
  readonly critical?: boolean;
  /** Time-out in milliseconds. Default 2000. */
  readonly timeoutMs?: number;
  /** Time in milliseconds for which the result is cached. Default 1000. */
  readonly cacheMs?: number;
}

export interface HealthCheckPlan extends Required<HealthCheckOptions> {
  readonly name: string;
  /** Named in readiness, where it decides only if it is critical. */
  readonly isNamed?: boolean;
  /** The type of the resources is known at the declaration only. */
  readonly run: (resources: never, signal: AbortSignal) => unknown;
}

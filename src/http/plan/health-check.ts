export interface HealthCheckOptions {
  /** Whether readiness depends on it. Default true. */
  readonly critical?: boolean;
  /** In milliseconds. Default 2000. */
  readonly timeoutMs?: number;
  /** How long its result is kept, in milliseconds. Default 1000. */
  readonly cacheMs?: number;
}

export interface HealthCheckPlan extends Required<HealthCheckOptions> {
  readonly name: string;
  /** The type of the resources is known at the declaration alone. */
  readonly run: (resources: never, signal: AbortSignal) => unknown;
}

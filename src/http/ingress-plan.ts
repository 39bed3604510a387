import type { AnyKey } from "#core/bus-key.js";
import type { Recorder } from "#core/recorder.js";
import type { Reporter } from "#core/reporter.js";
import type { Address } from "./address.js";
import type { Provision } from "./provided-value.js";
import type { RouteDefinition } from "./route-definition.js";
import type { RouterOptions } from "./router.js";

/** What was declared of an ingress, before it runs. */
export interface IngressPlan extends RouterOptions {
  readonly production: boolean;
  readonly resources: readonly AnyKey[];
  readonly routes: readonly RouteDefinition[];
  readonly provisions: readonly Provision[];
  readonly reporter: Reporter;
  readonly recorder: Recorder | undefined;
  readonly address: Address;
  /** Whether each answer carries an x-request-id. */
  readonly requestIds: boolean;
  readonly bodyLimit: number;
  readonly bodyTimeoutMs: number;
  readonly shutdownTimeoutMs: number;
  /** Whether `run` handles signals, unhandled rejections and uncaught exceptions. */
  readonly processGuards: boolean;
}

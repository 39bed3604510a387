import { FrameworkError } from "#core/errors.js";
import { type FuzzedApplication, ingressOf } from "./application.js";
import { BegunApplication, type Limits, PATIENCE_MS, SLOW_MS } from "./begun-application.js";
import { effectsOf } from "./effects.js";
import type { FuzzRequest } from "./fuzz-request.js";
import { LoopWatch } from "./loop-watch.js";
import type { Violation } from "./violation.js";

export interface EffectOptions {
  /** Allows requests in the production profile, and to stores that are not in memory. */
  readonly allowEffects?: boolean;
}

export interface ReplayOptions extends EffectOptions, Limits {}

/** A blocked event loop ends the process this long after the response is slow. */
const BLOCKED_AFTER_MS = 1000;

export const blockedAfterMs = ({ slowMs = SLOW_MS }: Limits): number =>
  (slowMs === 0 ? PATIENCE_MS : slowMs) + BLOCKED_AFTER_MS;

export const watchOf = (limits: Limits): LoopWatch | undefined => LoopWatch.begin(blockedAfterMs(limits));

/** Throws FUZZ_REFUSED if the requests could have effects outside of the process. */
export async function requireHarmless(application: FuzzedApplication, allowEffects = false): Promise<void> {
  if (allowEffects) return;
  const effects = effectsOf((await ingressOf(application)).plan);
  if (effects.length === 0) return;
  throw new FrameworkError(
    "FUZZ_REFUSED",
    `No request was sent: ${effects.join("; ")}. Effects that are meant are allowed by --allow-effects, or { allowEffects: true }`,
  );
}

/** The violations of a sequence of requests in a new application. */
export async function violationsOf(
  application: FuzzedApplication,
  requests: readonly FuzzRequest[],
  options: Parameters<typeof BegunApplication.begin>[1] = {},
): Promise<readonly (Violation & Pick<FuzzRequest, "route">)[]> {
  const begun = await BegunApplication.begin(application, options);
  const found: (Violation & Pick<FuzzRequest, "route">)[] = [];
  try {
    for (const request of requests) {
      const { violation } = await begun.send(request);
      if (violation !== undefined) found.push({ ...violation, route: request.route });
    }
    return found;
  } finally {
    await begun.close();
  }
}

/**
 * Sends the requests in order to a new application. Rejects if a response is a failure, is slow, or differs
 * from the declarations of its route; a step that blocks the event loop ends the process. For the tests that
 * `framework fuzz` writes.
 */
export async function replay(
  application: FuzzedApplication,
  requests: readonly FuzzRequest[],
  { allowEffects, ...limits }: ReplayOptions = {},
): Promise<void> {
  await requireHarmless(application, allowEffects);
  const watch = watchOf(limits);
  const [found] = await violationsOf(application, requests, { ...limits, watch }).finally(() => watch?.end());
  if (found !== undefined) throw new Error(`${found.route}: ${found.message}`);
}

import { FrameworkError } from "#core/errors.js";
import { type FuzzedApplication, ingressOf } from "./application.js";
import { BegunApplication } from "./begun-application.js";
import { effectsOf } from "./effects.js";
import type { FuzzRequest } from "./fuzz-request.js";
import type { Violation } from "./violation.js";

export interface EffectOptions {
  /** Allows requests in the production profile, and to stores that are not in memory. */
  readonly allowEffects?: boolean;
}

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
  only?: ReadonlySet<string>,
): Promise<readonly (Violation & Pick<FuzzRequest, "route">)[]> {
  const begun = await BegunApplication.begin(application, only && { only });
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
 * Sends the requests in order to a new application. Rejects if a response is a failure, or differs from
 * the declarations of its route. For the tests that `framework fuzz` writes.
 */
export async function replay(
  application: FuzzedApplication,
  requests: readonly FuzzRequest[],
  { allowEffects }: EffectOptions = {},
): Promise<void> {
  await requireHarmless(application, allowEffects);
  const [found] = await violationsOf(application, requests);
  if (found !== undefined) throw new Error(`${found.route}: ${found.message}`);
}

// Not jose's createRemoteJWKSet: it answers CryptoKeys, which node:crypto's synchronous verify does
// not take, reads an answer of any size, asks again for each request while the server fails, has no
// old keys to go on with, and no word for a key that is gone. docs/decisions/0012 has the rest.

import type { KeyObject } from "node:crypto";
import { backgroundClock } from "#core/background-clock.js";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import { type Reporter, reportAsWarning } from "#core/bus/reporter.js";
import type { Clock } from "#core/clock.js";
import type { IamError } from "#core/iam/iam-error.js";
import type { Verification } from "#core/iam/iam-verifier.js";
import { invalidOption, requireKnownOptions, requireWhole } from "#core/invalid-option.js";
import { endpointUrl, placeOf } from "../endpoint-url.js";
import { askForJson } from "../json-endpoint.js";
import { JwksCache, type LoadedKeys } from "./jwks-cache.js";
import { JwksKeySet } from "./jwks-key-set.js";
import { maxAgeOf } from "./jwks-max-age.js";
import { type JwsAlgorithm, type JwsMethod, jwsAlgorithms } from "./jws-algorithm.js";
import type { KeyHint, VerificationKeys } from "./verification-keys.js";

export interface RemoteKeysOptions {
  /**
   * For how many milliseconds keys are used before they are loaded again: 1000 to a day. Default
   * 600 000. A shorter `max-age` of the server's Cache-Control counts, down to `coolDownMs`.
   */
  readonly maxAgeMs?: number;
  /** The shortest time between two loads for a key that nobody knows: 1000 to an hour. Default 30 000. */
  readonly coolDownMs?: number;
  /** How long beyond `maxAgeMs` known keys are used while loading fails: 0 to a week. Default 3 600 000. */
  readonly staleMs?: number;
  /** Milliseconds until a load has failed, to its last byte: 1 to 60 000. Default 3000. */
  readonly timeoutMs?: number;
  /** Largest set in bytes, unpacked: 1024 to 16 MiB. Default 512 KiB. */
  readonly maxBytes?: number;
  /** Told when loading begins to fail, `KEYS_UNAVAILABLE`. Default: a warning of the process. */
  readonly reporter?: Reporter;
  /** Time for all of this. Default: the process's own. */
  readonly clock?: Clock;
}

const OPTIONS = ["maxAgeMs", "coolDownMs", "staleMs", "timeoutMs", "maxBytes", "reporter", "clock"];
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * The keys of a JWKS URL, as an issuer publishes them: loaded at first use, remembered, loaded again
 * in the background, and asked for once more when a token names a key that nobody knows. A key that
 * was taken out counts until the next load, after 8 minutes with traffic. Where nothing is known and
 * nothing can be loaded, VerifierUnavailable.
 */
export class RemoteKeys implements VerificationKeys {
  readonly description: string;
  readonly #cache: JwksCache;

  /** Throws CONFIG_INVALID where the URL is not https, or http to this machine itself, and for options out of range. */
  constructor(url: string | URL, options: RemoteKeysOptions = {}) {
    const call = "JwtKeys.url(...)";
    requireKnownOptions(call, options, OPTIONS);
    const address = endpointUrl(call, url);
    const { clock = backgroundClock, reporter = reportAsWarning } = options;
    const maxMs = requireWhole(call, "maxAgeMs", options.maxAgeMs ?? 600_000, 1000, DAY_MS);
    const coolDownMs = requireWhole(call, "coolDownMs", options.coolDownMs ?? 30_000, 1000, HOUR_MS);
    const limits = {
      timeoutMs: requireWhole(call, "timeoutMs", options.timeoutMs ?? 3000, 1, 60_000),
      maxBytes: requireWhole(call, "maxBytes", options.maxBytes ?? 512 * 1024, 1024, 16 * 1024 * 1024),
      clock,
    };
    const bounds = { minMs: Math.min(coolDownMs, maxMs), maxMs };
    this.description = `keys of ${placeOf(address)}`;
    this.#cache = new JwksCache({
      name: this.description,
      load: async (): Promise<LoadedKeys> => {
        const { members, headers } = await askForJson(address, { headers: ACCEPTED }, limits);
        const keys = JwksKeySet.of(members);
        if (typeof keys === "string") throw new Error(`what it answered ${keys}`);
        return { keys, maxAgeMs: maxAgeOf(headers, bounds) };
      },
      now: clock.now,
      coolDownMs,
      staleMs: requireWhole(call, "staleMs", options.staleMs ?? HOUR_MS, 0, 7 * DAY_MS),
      reporter,
    });
  }

  /** Changes when a key was taken out or changed. Asked for when keys are due, it has them loaded. */
  get generation(): number {
    return this.#cache.generation;
  }

  readonly requireFor = (algorithms: readonly JwsAlgorithm[]): void => {
    const secret = algorithms.find((name) => (jwsAlgorithms[name] as JwsMethod).family === "HMAC");
    if (secret !== undefined)
      throw invalidOption(
        "JwtKeys.url(...)",
        `a URL serves no secret, which ${secret} needs: use JwtKeys.secret`,
      );
  };

  readonly find = (
    hint: KeyHint,
    verification: Verification,
  ): MaybePromise<KeyObject | IamError | undefined> => this.#cache.find(hint, verification);
}

const ACCEPTED = { accept: "application/jwk-set+json, application/json" };

// Not jose's createRemoteJWKSet. It returns CryptoKeys, which node:crypto's synchronous verify does
// not accept. It reads responses of any size and loads again for each request while the server fails.
// It has neither stale keys nor a signal for removed keys. docs/decisions/0012 has the details.

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
   * Time that keys are used before they are loaded again, in milliseconds: 1000 to a day. Default
   * 600 000. A shorter `max-age` of the server's Cache-Control is used, down to `coolDownMs`.
   */
  readonly maxAgeMs?: number;
  /** Minimum time between two loads for unknown keys: 1000 to an hour. Default 30 000. */
  readonly coolDownMs?: number;
  /** Time beyond `maxAgeMs` that known keys are used while loading fails: 0 to a week. Default 3 600 000. */
  readonly staleMs?: number;
  /** Time limit of a load up to its last byte, in milliseconds: 1 to 60 000. Default 3000. */
  readonly timeoutMs?: number;
  /** Maximum size of a decompressed set, in bytes: 1024 to 16 MiB. Default 512 KiB. */
  readonly maxBytes?: number;
  /** Called when loads begin to fail, with `KEYS_UNAVAILABLE`. Default: a process warning. */
  readonly reporter?: Reporter;
  /** Time source. Default: the system clock. */
  readonly clock?: Clock;
}

const OPTIONS = ["maxAgeMs", "coolDownMs", "staleMs", "timeoutMs", "maxBytes", "reporter", "clock"];
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * The keys of an issuer's JWKS URL: loaded at first use, cached, reloaded in the background, and
 * loaded once more when a token names an unknown key. A removed key stays valid until the next
 * load, 8 minutes with traffic. If no keys are known and loading fails: VerifierUnavailable.
 */
export class RemoteKeys implements VerificationKeys {
  readonly description: string;
  readonly #cache: JwksCache;

  /** Throws CONFIG_INVALID if the URL is not https (or http to a loopback host), and for options out of range. */
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

  /** Changes when a key was removed or replaced. Reading it starts a load that is due. */
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

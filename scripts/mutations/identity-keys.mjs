// Lines of keys and their sets. mutate.mjs says what a row is.

const JWKS = ["cache", "remote-keys", "bad-server"]
  .map((what) => `native-tests/identity/jwt/jwks-${what}.test.ts`)
  .join(" ");
const JWKS_SET = "native-tests/identity/jwt/jwks-key-set.test.ts";
const API_KEYS = "native-tests/identity/api-keys/api-key-verifier.test.ts";

export default [
  [
    "jwks: an unknown kid is asked for once in a cool-down",
    "src/identity/jwt/jwks-cache.ts",
    "return now >= this.#begunAt + this.#options.coolDownMs && now",
    "return now",
    JWKS,
  ],
  [
    "jwks: one load at a time",
    "src/identity/jwt/jwks-cache.ts",
    "if (isDue && this.#flight === undefined && now",
    "if (isDue && now",
    JWKS,
  ],
  [
    "jwks: a server that fails is asked again after a pause",
    "src/identity/jwt/jwks-cache.ts",
    "this.#failures = { count, last: error, lastAt, retryAt: lastAt + pauseMs };",
    "this.#failures = { count, last: error, lastAt, retryAt: lastAt };",
    JWKS,
  ],
  [
    "jwks: a key that is gone changes the generation",
    "src/identity/jwt/jwks-cache.ts",
    "if (this.#held !== undefined && !keys.hasAllOf(this.#held.keys)) this.#generation += 1;",
    "if (this.#held !== undefined) keys.hasAllOf(this.#held.keys);",
    JWKS,
  ],
  [
    "jwks: keys whose time is up are waited for",
    "src/identity/jwt/jwks-cache.ts",
    "      held.lapsed = true;\n",
    "",
    JWKS,
  ],
  [
    "jwks: remembered tokens are asked again when the keys' time is up",
    "src/identity/jwt/jwks-cache.ts",
    "      held.lapsed = true;\n      this.#generation += 1;\n",
    "      held.lapsed = true;\n",
    JWKS,
  ],
  [
    "jwks: old keys go on for their time alone",
    "src/identity/jwt/jwks-cache.ts",
    "    if (now >= held.staleUntil) {",
    "    if (now < 0) {",
    JWKS,
  ],
  [
    "jwks: a failure of long ago excuses no old keys",
    "src/identity/jwt/jwks-cache.ts",
    "return count > 0 && asked < lastAt + 2 * this.#options.coolDownMs;",
    "return count > 0 && asked >= lastAt;",
    JWKS,
  ],
  [
    "jwks: without an answer nobody says that there is no key",
    "src/identity/jwt/jwks-cache.ts",
    "return count === 0 ? undefined :",
    "return count >= 0 ? undefined :",
    JWKS,
  ],
  [
    "jwks: who remembers tokens has keys loaded",
    "src/identity/jwt/jwks-cache.ts",
    "    if (this.#held !== undefined) this.#current(this.#options.now());\n",
    "",
    JWKS,
  ],
  [
    "jwks: making a verifier loads nothing",
    "src/identity/jwt/jwks-cache.ts",
    "    if (this.#held !== undefined) this.#current",
    "    this.#current",
    JWKS,
  ],
  [
    "jwks: an answer is bounded while it arrives",
    "src/identity/json-endpoint.ts",
    "    if (end > maxBytes) throw new Error(`its answer is larger than ${maxBytes} bytes`);\n",
    "",
    JWKS,
  ],
  [
    "jwks: redirects are not followed",
    "src/identity/json-endpoint.ts",
    'redirect: "manual"',
    'redirect: "follow"',
    JWKS,
  ],
  [
    "jwks: plain http reaches this machine alone",
    "src/identity/endpoint-url.ts",
    '(url.protocol === "http:" && isLoopback(hostOf(url)))',
    'url.protocol === "http:"',
    JWKS,
  ],
  [
    "jwks: a server lengthens no key's time",
    "src/identity/jwt/jwks-max-age.ts",
    "Math.max((Number(seconds) - Number(age)) * 1000, minMs), maxMs)",
    "Math.max((Number(seconds) - Number(age)) * 1000, minMs), Infinity)",
    JWKS,
  ],
  [
    "jwks: a secret that a URL serves is no key",
    "src/identity/jwt/jwks-key-set.ts",
    ' && read.key.key.type === "public"',
    "",
    JWKS_SET,
  ],
  [
    "jwks: of two keys under one name none is chosen",
    "src/identity/jwt/jwks-key-set.ts",
    "else if (!isSame) this.#byKid.set(key.kid, null);",
    "key.key",
    JWKS_SET,
  ],
  [
    "API keys: the secret is compared",
    "src/identity/api-keys/api-key-verifier.ts",
    "if (!isRight || record === undefined) return UNKNOWN;",
    "if (record === undefined) return UNKNOWN;",
    API_KEYS,
  ],
  [
    "API keys: an unknown id costs a comparison too",
    "src/identity/api-keys/api-key-verifier.ts",
    "timingSafeEqual(hash, record?.hash ?? NOBODYS)",
    "record !== undefined && timingSafeEqual(hash, record.hash)",
    API_KEYS,
  ],
  [
    "API keys: a revoked one opens nothing",
    "src/identity/api-keys/api-key-verifier.ts",
    "if (record.revoked) return REVOKED;",
    "",
    API_KEYS,
  ],
  [
    "API keys: what is mistyped is not looked up",
    "src/identity/api-keys/api-key-format.ts",
    "id !== undefined && key.endsWith(checksum(key.slice(0, -CHECKSUM_DIGITS))) ? id : undefined",
    "id",
    API_KEYS,
  ],
];

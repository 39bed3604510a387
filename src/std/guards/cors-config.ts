import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import { type OriginRule, OriginRules } from "#core/net/origin-rules.js";
import { isToken } from "#core/wire/header-syntax.js";

/** Rights of pages of other origins. Defaults are those of `CorsConfig.default()`. */
export interface CorsOptions {
  /**
   * Allowed origins: "https://app.example", "https://*.app.example", a function, "null" for pages
   * without an origin (sandboxed frames and files, which any site can make). Default: ["*"], all.
   */
  readonly allowedOrigins?: readonly OriginRule[];
  /**
   * Methods, in upper case, or "*". Browsers need no permission for GET, HEAD and POST. Default: GET,
   * HEAD, POST, PUT, PATCH, DELETE.
   */
  readonly allowedMethods?: readonly string[];
  /** Headers that pages may send, or "*", which covers all but Authorization. Default: Content-Type, Authorization. */
  readonly allowedHeaders?: readonly string[];
  /** Response headers that pages may read beside the standard ones, or "*". Default: none. */
  readonly exposedHeaders?: readonly string[];
  /** How long a browser may cache a preflight; most cap it lower. 0 to 31 536 000. Default: 86 400, a day. */
  readonly maxAgeSeconds?: number;
  /** Whether pages may send and get cookies. Never together with "*" or "https://*.com". Default: false. */
  readonly allowCredentials?: boolean;
}

const DEFAULTS: Required<CorsOptions> = Object.freeze({
  allowedOrigins: Object.freeze(["*"]),
  allowedMethods: Object.freeze(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]),
  allowedHeaders: Object.freeze(["Content-Type", "Authorization"]),
  exposedHeaders: Object.freeze([]),
  maxAgeSeconds: 86_400,
  allowCredentials: false,
});

/** A year: catches values in milliseconds. */
const MAX_AGE_SECONDS = 31_536_000;

/**
 * Options of a CorsGuard with defaults, validated one by one. Each method returns a new config. All
 * throw CONFIG_INVALID. The guard's constructor checks that the options fit together.
 */
export class CorsConfig implements Required<CorsOptions> {
  readonly allowedOrigins: readonly OriginRule[];
  readonly allowedMethods: readonly string[];
  readonly allowedHeaders: readonly string[];
  readonly exposedHeaders: readonly string[];
  readonly maxAgeSeconds: number;
  readonly allowCredentials: boolean;

  constructor(options: CorsOptions = {}) {
    const all = checked({ ...DEFAULTS, ...given(options, "CorsConfig") }, "CorsConfig");
    this.allowedOrigins = all.allowedOrigins;
    this.allowedMethods = all.allowedMethods;
    this.allowedHeaders = all.allowedHeaders;
    this.exposedHeaders = all.exposedHeaders;
    this.maxAgeSeconds = all.maxAgeSeconds;
    this.allowCredentials = all.allowCredentials;
    Object.freeze(this);
  }

  /** Pages of every origin, without cookies. */
  static default(): CorsConfig {
    return new CorsConfig();
  }

  /** Replaces the default "*", then adds to the allowed origins. */
  allowOrigin(origin: OriginRule): CorsConfig {
    const { allowedOrigins } = this;
    const before = allowedOrigins === DEFAULTS.allowedOrigins ? [] : allowedOrigins;
    return this.#with({ allowedOrigins: [...before, origin] }, "CorsConfig.allowOrigin");
  }

  /** Replaces the methods. */
  allowMethods(allowedMethods: readonly string[]): CorsConfig {
    return this.#with({ allowedMethods }, "CorsConfig.allowMethods");
  }

  /** Replaces the headers. */
  allowHeaders(allowedHeaders: readonly string[]): CorsConfig {
    return this.#with({ allowedHeaders }, "CorsConfig.allowHeaders");
  }

  /** Replaces the headers. */
  exposeHeaders(exposedHeaders: readonly string[]): CorsConfig {
    return this.#with({ exposedHeaders }, "CorsConfig.exposeHeaders");
  }

  /** In seconds; 0 sends a preflight before each request. */
  maxAge(maxAgeSeconds: number): CorsConfig {
    return this.#with({ maxAgeSeconds }, "CorsConfig.maxAge");
  }

  withCredentials(allowCredentials = true): CorsConfig {
    return this.#with({ allowCredentials }, "CorsConfig.withCredentials");
  }

  #with(changed: CorsOptions, call: string): CorsConfig {
    return new CorsConfig(checked({ ...this, ...given(changed, call) }, call));
  }
}

/** The options that are not undefined. */
function given(options: CorsOptions, call: string): CorsOptions {
  requireKnownOptions(call, options, Object.keys(DEFAULTS));
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function checked(options: Required<CorsOptions>, call: string): Required<CorsOptions> {
  const { maxAgeSeconds, allowCredentials } = options;
  const allowedOrigins = listOf(options.allowedOrigins, call, "allowedOrigins");
  const rules = allowedOrigins.filter((rule) => rule !== "*");
  new OriginRules(rules, call);
  if (!Number.isInteger(maxAgeSeconds) || maxAgeSeconds < 0 || maxAgeSeconds > MAX_AGE_SECONDS)
    throw invalidOption(call, `maxAgeSeconds ${maxAgeSeconds}: give whole seconds, 0 to ${MAX_AGE_SECONDS}`);
  if (typeof allowCredentials !== "boolean")
    throw invalidOption(call, `allowCredentials ${String(allowCredentials)}: give true or false`);
  return {
    allowedOrigins,
    allowedMethods: methodsOf(options.allowedMethods, call),
    allowedHeaders: tokensOf(options.allowedHeaders, call, "allowedHeaders"),
    exposedHeaders: tokensOf(options.exposedHeaders, call, "exposedHeaders"),
    maxAgeSeconds,
    allowCredentials,
  };
}

/** A frozen copy: it stays as validated. The lists of the defaults are returned unchanged. */
function listOf<T>(list: readonly T[], call: string, option: string): readonly T[] {
  if (!Array.isArray(list)) throw invalidOption(call, `${option} is no list: write ["..."]`);
  return Object.isFrozen(list) ? list : Object.freeze([...list]);
}

function tokensOf(list: readonly string[], call: string, option: string): readonly string[] {
  const tokens = listOf(list, call, option);
  const wrong = tokens.filter((token) => typeof token !== "string" || !isToken(token));
  if (wrong.length === 0) return tokens;
  const shown = wrong.map((token) => JSON.stringify(token)).join(", ");
  throw invalidOption(call, `${option}: ${shown}; write each name by itself, of letters, digits and hyphens`);
}

function methodsOf(list: readonly string[], call: string): readonly string[] {
  const methods = tokensOf(list, call, "allowedMethods");
  const lower = methods.find((method) => method !== method.toUpperCase());
  if (lower === undefined) return methods;
  const remedy = `write ${lower.toUpperCase()}: case counts in methods`;
  throw invalidOption(call, `allowedMethods: '${lower}'; ${remedy}`);
}

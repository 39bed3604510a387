export { type NewApiKey, type NewApiKeyOptions, newApiKey } from "#identity/api-key.js";
export type { ApiKeyRecord } from "#identity/api-key-record.js";
export { type ApiKeyOptions, ApiKeyVerifier } from "#identity/api-key-verifier.js";
export { type CachedOptions, CachedVerifier, cached } from "#identity/cached-verifier.js";
export type { ClientAuthentication } from "#identity/introspection-credentials.js";
export { type IntrospectionOptions, IntrospectionVerifier } from "#identity/introspection-verifier.js";
export type { RemoteKeysOptions } from "#identity/jwks-remote-keys.js";
export type { JwsAlgorithm } from "#identity/jws-algorithm.js";
export { JwtKeys, type KeyOptions } from "#identity/jwt-keys.js";
export { JwtVerifier, type JwtVerifierOptions } from "#identity/jwt-verifier.js";
export type { KeyHint, VerificationKeys } from "#identity/verification-keys.js";
export { AccessLogGuard, type AccessLogOptions } from "./access-log-guard.js";
export { ApiKeyGuard, type ApiKeyGuardOptions } from "./api-key-guard.js";
export { AuthGuard } from "./auth-guard.js";
export { BodyLimitGuard } from "./body-limit-guard.js";
export {
  ConditionalRequestGuard,
  type ConditionalRequestOptions,
  NotModified,
  type Validators,
} from "./conditional-request-guard.js";
export type { CspDirectives } from "./content-security-policy.js";
export { ContentTypeGuard } from "./content-type-guard.js";
export { CorsConfig, type CorsOptions } from "./cors-config.js";
export { CorsGuard } from "./cors-guard.js";
export { CsrfGuard, type CsrfOptions } from "./csrf-guard.js";
export { DelayNode, type DelayOptions } from "./delay-node.js";
export { ErrorNode } from "./error-node.js";
export { FilterNode } from "./filter-node.js";
export { FilterTransformNode } from "./filter-transform-node.js";
export { FlattenNode } from "./flatten-node.js";
export { GuardFault } from "./guard-fault.js";
export { IdempotencyGuard, type IdempotencyOptions } from "./idempotency-guard.js";
export { IdentityNode } from "./identity-node.js";
export { IpFilterGuard } from "./ip-filter-guard.js";
export type { LogLevel, LogRecord } from "./log-line.js";
export { LogNode, type LogOptions } from "./log-node.js";
export { MapNode } from "./map-node.js";
export { type MathFault, MathNode, type MathOperation } from "./math-node.js";
export { MemoryIdempotency, type MemoryIdempotencyOptions } from "./memory-idempotency.js";
export { MemoryRateLimits, type MemoryRateLimitsOptions } from "./memory-rate-limits.js";
export { MergeNode, type MergeOptions } from "./merge-node.js";
export { NodeFault } from "./node-fault.js";
export { type PatternOptions, PatternValidator } from "./pattern-validator.js";
export { QueueEventSource, type QueueOptions } from "./queue-event-source.js";
export { RandomBranchNode, type RandomBranchOptions } from "./random-branch-node.js";
export { type RangeOptions, RangeValidator } from "./range-validator.js";
export { type RateLimitFault, RateLimitGuard } from "./rate-limit-guard.js";
export type { RateLimitOptions } from "./rate-limit-options.js";
export { Redirect, RedirectGuard, type RedirectOptions, type ToHttpsOptions } from "./redirect-guard.js";
export { RequiredNode } from "./required-node.js";
export { ResolveTenant, type TenantFault } from "./resolve-tenant.js";
export { SchemaValidator } from "./schema-validator.js";
export { SecurityHeadersGuard, type SecurityHeadersOptions } from "./security-headers-guard.js";
export { type SecurityHeaderChanges, SecurityPolicy } from "./security-policy.js";
export { StringNode, type StringOperation } from "./string-node.js";
export { SwitchNode } from "./switch-node.js";
export { TimeoutGuard } from "./timeout-guard.js";

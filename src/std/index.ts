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
export { FilterNode, RandomBranchNode, type RandomBranchOptions, SwitchNode } from "./branch-nodes.js";
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
export { GuardFault, NodeFault, SessionFault } from "./faults.js";
export { IdempotencyGuard, type IdempotencyOptions } from "./idempotency-guard.js";
export { IpFilterGuard } from "./ip-filter-guard.js";
export { FilterTransformNode, FlattenNode } from "./list-nodes.js";
export { type LogLevel, LogNode, type LogOptions, type LogRecord } from "./log-node.js";
export { type MathFault, MathNode, type MathOperation } from "./math-node.js";
export { MemoryIdempotency, type MemoryIdempotencyOptions } from "./memory-idempotency.js";
export { MemoryRateLimits, type MemoryRateLimitsOptions } from "./memory-rate-limits.js";
export { MemoryRooms, type MemoryRoomsOptions } from "./memory-rooms.js";
export { MemorySessions, type MemorySessionsOptions } from "./memory-sessions.js";
export { MergeNode, type MergeOptions } from "./merge-node.js";
export { ErrorNode, IdentityNode, MapNode } from "./plain-nodes.js";
export { PolicyGuard } from "./policy-guard.js";
export { QueueEventSource, type QueueOptions } from "./queue-event-source.js";
export { type RateLimitFault, RateLimitGuard, type RateLimitOptions } from "./rate-limit-guard.js";
export { Redirect, RedirectGuard, type RedirectOptions, type ToHttpsOptions } from "./redirect-guard.js";
export { ResolveTenant, type TenantFault } from "./resolve-tenant.js";
export { SecurityHeadersGuard, type SecurityHeadersOptions } from "./security-headers-guard.js";
export { type SecurityHeaderChanges, SecurityPolicy } from "./security-policy.js";
export { CsrfTokenGuard, LoadSession, ValidateSession } from "./session-guards.js";
export type { SessionsOptions } from "./session-options.js";
export type { SessionCookieOptions } from "./session-place.js";
export {
  CleanupSessions,
  type CleanupSessionsOptions,
  CreateSession,
  type CreateSessionOptions,
  DestroySession,
  type DestroySessionOptions,
  RotateSession,
  type RotateSessionOptions,
} from "./session-steps.js";
export type { SessionVerifier } from "./session-verifier.js";
export { Sessions } from "./sessions.js";
export { StringNode, type StringOperation } from "./string-node.js";
export { TimeoutGuard } from "./timeout-guard.js";
export {
  type PatternOptions,
  PatternValidator,
  type RangeOptions,
  RangeValidator,
  RequiredNode,
  SchemaValidator,
} from "./validators.js";

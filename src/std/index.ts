export { type NewApiKey, type NewApiKeyOptions, newApiKey } from "#identity/api-keys/api-key.js";
export type { ApiKeyRecord } from "#identity/api-keys/api-key-record.js";
export { type ApiKeyOptions, ApiKeyVerifier } from "#identity/api-keys/api-key-verifier.js";
export { type CachedOptions, CachedVerifier, cached } from "#identity/cache/cached-verifier.js";
export type { ClientAuthentication } from "#identity/introspection/introspection-credentials.js";
export {
  type IntrospectionOptions,
  IntrospectionVerifier,
} from "#identity/introspection/introspection-verifier.js";
export type { RemoteKeysOptions } from "#identity/jwt/jwks-remote-keys.js";
export type { JwsAlgorithm } from "#identity/jwt/jws-algorithm.js";
export { JwtKeys, type KeyOptions } from "#identity/jwt/jwt-keys.js";
export { JwtVerifier, type JwtVerifierOptions } from "#identity/jwt/jwt-verifier.js";
export type { KeyHint, VerificationKeys } from "#identity/jwt/verification-keys.js";
export { AccessLogGuard, type AccessLogOptions } from "./access-log/access-log-guard.js";
export { GuardFault, NodeFault, SessionFault } from "./faults.js";
export { ApiKeyGuard, type ApiKeyGuardOptions } from "./guards/api-key-guard.js";
export { AuthGuard } from "./guards/auth-guard.js";
export { BodyLimitGuard } from "./guards/body-limit-guard.js";
export {
  ConditionalRequestGuard,
  type ConditionalRequestOptions,
  NotModified,
  type Validators,
} from "./guards/conditional-request-guard.js";
export type { CspDirectives } from "./guards/content-security-policy.js";
export { ContentTypeGuard } from "./guards/content-type-guard.js";
export { CorsConfig, type CorsOptions } from "./guards/cors-config.js";
export { CorsGuard } from "./guards/cors-guard.js";
export { CsrfGuard, type CsrfOptions } from "./guards/csrf-guard.js";
export { IdempotencyGuard, type IdempotencyOptions } from "./guards/idempotency-guard.js";
export { IpFilterGuard } from "./guards/ip-filter-guard.js";
export { PolicyGuard } from "./guards/policy-guard.js";
export { type RateLimitFault, RateLimitGuard, type RateLimitOptions } from "./guards/rate-limit-guard.js";
export {
  Redirect,
  RedirectGuard,
  type RedirectOptions,
  type ToHttpsOptions,
} from "./guards/redirect-guard.js";
export { ResolveTenant, type TenantFault } from "./guards/resolve-tenant.js";
export { SecurityHeadersGuard, type SecurityHeadersOptions } from "./guards/security-headers-guard.js";
export { type SecurityHeaderChanges, SecurityPolicy } from "./guards/security-policy.js";
export { TimeoutGuard } from "./guards/timeout-guard.js";
export { MemoryIdempotency, type MemoryIdempotencyOptions } from "./memory/memory-idempotency.js";
export { MemoryRateLimits, type MemoryRateLimitsOptions } from "./memory/memory-rate-limits.js";
export { MemoryRooms, type MemoryRoomsOptions } from "./memory/memory-rooms.js";
export { MemorySessions, type MemorySessionsOptions } from "./memory/memory-sessions.js";
export { FilterNode, RandomBranchNode, type RandomBranchOptions, SwitchNode } from "./nodes/branch-nodes.js";
export { DelayNode, type DelayOptions } from "./nodes/delay-node.js";
export { FilterTransformNode, FlattenNode } from "./nodes/list-nodes.js";
export { type LogLevel, LogNode, type LogOptions, type LogRecord } from "./nodes/log-node.js";
export { type MathFault, MathNode, type MathOperation } from "./nodes/math-node.js";
export { MergeNode, type MergeOptions } from "./nodes/merge-node.js";
export { ErrorNode, IdentityNode, MapNode } from "./nodes/plain-nodes.js";
export { QueueEventSource, type QueueOptions } from "./nodes/queue-event-source.js";
export { StringNode, type StringOperation } from "./nodes/string-node.js";
export {
  type PatternOptions,
  PatternValidator,
  type RangeOptions,
  RangeValidator,
  RequiredNode,
  SchemaValidator,
} from "./nodes/validators.js";
export { CsrfTokenGuard, LoadSession, ValidateSession } from "./sessions/session-guards.js";
export type { SessionsOptions } from "./sessions/session-options.js";
export type { SessionCookieOptions } from "./sessions/session-place.js";
export {
  CleanupSessions,
  type CleanupSessionsOptions,
  CreateSession,
  type CreateSessionOptions,
  DestroySession,
  type DestroySessionOptions,
  RotateSession,
  type RotateSessionOptions,
} from "./sessions/session-steps.js";
export { Sessions, type SessionVerifier } from "./sessions/sessions.js";

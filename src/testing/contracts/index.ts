export { auditSinkContract } from "./audit-sink.js";
export { deadLetterStoreContract } from "./dead-letter-store.js";
export { idempotencyStoreContract, type OpenedIdempotency } from "./idempotency-store.js";
export { lockProviderContract, type OpenedLocks } from "./lock-provider.js";
export { type OpenedRates, rateLimitStoreContract } from "./rate-limit-store.js";
export { type OpenedRooms, roomBusContract } from "./room-bus.js";
export { type OpenedRuns, runStoreContract } from "./run-store.js";
export { type OpenedSessions, sessionStoreContract } from "./session-store.js";

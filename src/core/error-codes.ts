// All stable codes. docs/errors.md has a row for each, and a test compares the two. The meaning
// of a code never changes.

/** Thrown as a FrameworkError: the program is wrong. */
export const thrownCodes = {
  AUDIT_ANCHOR_CONFLICT: "An anchor of an audit log holds another checkpoint",
  AUDIT_ANCHOR_FAILED: "A checkpoint of an audit log could not be anchored",
  AUDIT_CHAIN_BROKEN: "An audit log was changed: no checkpoint of it is signed",
  AUDIT_EVENT_INVALID: "An audit event that cannot be kept as it is",
  AUDIT_ID_TAKEN: "Two different audit events with one id",
  AUDIT_KEY_INVALID: "A key of an audit log cannot be read, or is not the one that is needed",
  AUDIT_LOCKED: "A file of an audit log has another writer",
  AUDIT_SINK_MISSING: "An audited step has no audit log to write to",
  AUDIT_UNAVAILABLE: "An audit log cannot be written or read",
  AXON_BRANCH_DUPLICATE: "Two branches under one id at one step",
  AXON_BRANCH_OPEN: "A declared branch has no Axon",
  AXON_BRANCH_UNDECLARED: "A branch is attached that the step does not declare",
  AXON_JUMP_UNRESOLVED: "A declared jump names no label",
  AXON_LABEL_DUPLICATE: "Two labels of one name in an Axon",
  AXON_NODE_UNKNOWN: "A run was to begin at a node that the Axon does not have",
  AXON_NAME_INVALID: "An Axon, step or label with an empty name",
  AXON_STEP_INVALID: "A step that is no Transition",
  BUS_ACCESS_DENIED: "A step touched a key that it does not declare",
  BUS_KEY_AMBIGUOUS: "Two different keys with one name in one circuit",
  BUS_RELEASED: "A Bus was used after its run had ended",
  BUS_VALUE_MISSING: "A key was read that nothing had written",
  BUS_VALUE_UNWRITTEN: "A step answered Next without writing what it declares",
  CLOSE_CODE_INVALID: "A WebSocket was to be closed with a code that nobody may send",
  CONFIG_CONFLICT: "A limit of the whole process was to have two values",
  CONFIG_INVALID: "An option is out of its range or contradicts another",
  COOKIE_INVALID: "A cookie that browsers would ignore or cut",
  ENCRYPTED_TEXT_INVALID:
    "A text of a store cannot be decrypted: it was changed or moved, or its key is another one",
  ENCRYPTION_KEY_EXHAUSTED: "A key has encrypted as many texts as it may",
  ENCRYPTION_KEY_UNKNOWN: "The key of an encrypted text is not there",
  ENCRYPTION_KEYS_INVALID: "Master keys cannot be read, or are not what encryption needs",
  EVENT_INVALID: "An event that clients would read as something else, or one that is too large",
  EXTRACTOR_INVALID: "An input extractor cannot work where it is used",
  FILES_MISSING: "A directory or file that is to be served is not there",
  FUZZ_REFUSED:
    "The fuzzer was not started: its requests could have effects, or it was given what is not there",
  HEADER_INVALID: "A response header's name or value is not allowed on the wire",
  INSPECTOR_TOKEN_MISSING: "The Inspector needs a token in production",
  KEYS_UNKEPT: "Steps of a kept Axon read what a resumed run does not have",
  KEYS_UNPROVIDED: "Steps read keys that nobody provides",
  LABEL_SCHEMA_INVALID: "A label is not declared as short plain text, or there are too many",
  LABEL_UNDECLARED: "A step sets a label that its Axon does not declare",
  LABEL_VALUE_INVALID: "A label was set to a value that its schema does not allow",
  LAYER_NEXT_TWICE: "A layer called next() more than once",
  LISTEN_FAILED: "The address cannot be listened on",
  NATIVE_UNAVAILABLE: "The native server has no binary for this platform",
  OPENAPI_INVALID: "An OpenAPI document cannot say what a route takes or responds with",
  PROBLEM_INVALID: "A ProblemDetail that cannot be answered",
  PROVIDE_INVALID: "A provided value was not made as declared",
  REPLAY_EFFECT: "A step acted on the world while a stored run was replayed",
  RESOURCE_MISSING: "run() was not given a declared resource",
  RESPONSE_INVALID: "A reply that cannot be answered",
  ROUTE_CONFLICT: "Two routes match the same requests equally",
  ROUTE_INVALID: "A route's path or method is malformed",
  SCHEMA_INVALID: "A schema does not compile",
  SCHEMA_UNSUPPORTED: "A schema uses what cannot be checked here",
  UPLOAD_RELEASED: "An upload was to be kept after its run, or twice",
  START_FAILED: "A hook of onStart or onReady failed",
  STORE_MISSING: "An Axon takes the store of where it is mounted, and there is none",
  STORE_UNAVAILABLE: "A database cannot be opened or asked, or what speaks to it is not installed",
  STORE_VERSION: "The tables of a database are of another version",
  TELEMETRY_UNAVAILABLE: "Traces are to be sent, and what sends them is not installed",
  TLS_INVALID: "A certificate or its key cannot be served",
  TLS_UNSUPPORTED: "TLS is asked for that cannot be served",
  WAIT_MISPLACED: "A step waits where no run can be woken",
  WORKER_FAILED: "A worker ended before any of them served",
  WORKER_MODULE_MISSING: "The file of a module for the worker pool is not there",
} as const;

export type ThrownCode = keyof typeof thrownCodes;

/** Faults with which the runtime ends a run (runtime-fault.ts), with their HTTP responses. */
export const faultCodes = {
  AUDIT_FAILED: { status: 503, title: "What is done here has to be recorded, and could not be" },
  BRANCH_UNKNOWN: { status: 500, title: "A branch was taken that has no Axon" },
  CHECKPOINT_FAILED: { status: 503, title: "The run could not be kept, and stopped" },
  INPUT_INVALID: { status: 422, title: "The input is against its schema" },
  JUMP_LIMIT: { status: 500, title: "A run jumped too often" },
  // Not 503: no part has failed, and another instance would find the same lock taken.
  LOCK_TAKEN: { status: 409, title: "Another run holds the lock" },
  LOCK_UNAVAILABLE: { status: 503, title: "The lock could not be asked for" },
  OUTPUT_INVALID: { status: 500, title: "The output is against its schema" },
  POOL_CLOSED: { status: 503, title: "The worker pool was closed" },
  POOL_FULL: { status: 503, title: "The worker pool has no room for another job" },
  POOL_MEMORY: { status: 500, title: "A job took more memory than a worker may" },
  RUN_ABORTED: { status: 503, title: "The run was aborted" },
  RUN_CANCELLED: { status: 409, title: "The run was cancelled" },
  RUN_ENDED: { status: 409, title: "The run is over" },
  RUN_INCOMPATIBLE: { status: 409, title: "The run belongs to another version" },
  RUN_LOG_FULL: { status: 500, title: "The log of a run has reached its limit" },
  RUN_OWNED: { status: 409, title: "A living process runs this run" },
  RUN_STUCK: { status: 409, title: "The run was resumed too often" },
  RUN_TAKEN: { status: 409, title: "The run belongs to somebody else" },
  RUN_UNKNOWN: { status: 404, title: "There is no such run" },
  RUN_WAITING: { status: 409, title: "The run waits" },
  STEP_TIMEOUT: { status: 504, title: "A step took too long" },
  TRANSITION_PANIC: { status: 500, title: "A step threw" },
  TRANSITION_UNDECLARED: { status: 500, title: "A step answered what it does not declare" },
  VALUE_NOT_CLONEABLE: { status: 500, title: "A value cannot be sent between a step and its worker" },
  VALUE_NOT_DURABLE: { status: 500, title: "A value cannot be kept" },
  WAIT_TIMEOUT: { status: 504, title: "No signal came in time" },
  WORKER_CRASHED: { status: 500, title: "The worker of a step ended" },
  WORKER_MODULE_FAILED: {
    status: 500,
    title: "A worker cannot load the module of a step, or has no such function",
  },
} as const;

/** Refusals of an ingress before or beside a run: members `code`, `status` and `title` of a problem. */
export const refusalCodes = {
  BODY_MISSING: { status: 400, title: "The request has no body" },
  BODY_TIMEOUT: { status: 408, title: "The body did not arrive in time" },
  BODY_TOO_LARGE: { status: 413, title: "The body is larger than allowed" },
  BODY_UNREAD: { status: 503, title: "The body was not taken in time" },
  CODING_UNSUPPORTED: { status: 501, title: "The transfer coding is not supported" },
  EVENT_STREAMS_FULL: { status: 503, title: "There are too many streams of events open" },
  EXPECTATION_UNKNOWN: { status: 417, title: "The expectation is not supported" },
  FILE_CHANGED: { status: 503, title: "The file is being changed" },
  FORM_INVALID: { status: 400, title: "The form is malformed" },
  FRAMING_INVALID: { status: 400, title: "The length of the message is ambiguous" },
  HANDSHAKE_INVALID: { status: 400, title: "The WebSocket handshake is malformed" },
  HEADER_MISSING: { status: 400, title: "A required header is missing" },
  HEADER_REPEATED: { status: 400, title: "A header that has one value stands there more than once" },
  HOST_INVALID: { status: 400, title: "The Host header is malformed" },
  HOST_UNSERVED: { status: 421, title: "The host is not served here" },
  IDEMPOTENCY_ANSWER_LOST: {
    status: 409,
    title: "The request was served before, and its answer was not kept",
  },
  IDEMPOTENCY_CALLER_UNKNOWN: {
    status: 400,
    title: "An idempotency key needs a caller that can be told from others",
  },
  IDEMPOTENCY_IN_PROGRESS: { status: 409, title: "A request with this idempotency key is being served" },
  IDEMPOTENCY_MISMATCH: { status: 422, title: "The idempotency key was used with another request" },
  IDEMPOTENCY_UNAVAILABLE: { status: 503, title: "Idempotency keys cannot be looked up at the moment" },
  INTERNAL_ERROR: { status: 500, title: "Internal server error" },
  JSON_INVALID: { status: 400, title: "The body is not the JSON that is wanted" },
  MEDIA_TYPE_UNSUPPORTED: { status: 415, title: "The content type is not accepted" },
  METHOD_NOT_ALLOWED: { status: 405, title: "The path has no such method" },
  METHOD_UNKNOWN: { status: 501, title: "The method is not supported" },
  MULTIPART_INVALID: { status: 400, title: "The multipart body is malformed" },
  NOT_ACCEPTABLE: { status: 406, title: "The client takes none of what there is" },
  NOT_FOUND: { status: 404, title: "There is nothing here" },
  OVERLOADED: { status: 503, title: "There are too many requests at once" },
  PARAMETER_INVALID: { status: 400, title: "A parameter is missing or malformed" },
  PROXY_HEADER_MISSING: { status: 400, title: "The connection does not begin with a PROXY header" },
  RANGE_UNSATISFIABLE: { status: 416, title: "The file has no such bytes" },
  ROUTE_TIMEOUT: { status: 504, title: "The answer took too long" },
  SIGNALS_FULL: { status: 429, title: "The run has too many signals that it has not taken" },
  SIGNAL_CONFLICT: { status: 422, title: "Another signal was sent under this id" },
  SIGNAL_INVALID: { status: 422, title: "The run does not take this signal" },
  STORAGE_UNAVAILABLE: { status: 503, title: "What was sent cannot be stored at the moment" },
  TARGET_INVALID: { status: 400, title: "The request target is malformed" },
  TARGET_TOO_LONG: { status: 414, title: "The request target is too long" },
  TEXT_INVALID: { status: 400, title: "The body is not valid UTF-8" },
  UPGRADE_REQUIRED: { status: 426, title: "The path speaks WebSocket" },
  UPLOAD_TOO_LARGE: { status: 413, title: "An upload is larger than allowed" },
} as const;

export type RefusalCode = keyof typeof refusalCodes;

/** Faults of the standard nodes (framework/std): NodeFault. */
export const nodeCodes = {
  DIVISION_BY_ZERO: { status: 422, title: "A number was to be divided by zero" },
  FIELD_MISSING: { status: 422, title: "A required field is missing" },
  MERGE_TOO_DEEP: { status: 422, title: "An object is nested too deep to be merged" },
  NUMBER_OVERFLOW: { status: 422, title: "The result is no number that can be represented" },
  PATTERN_MISMATCH: { status: 422, title: "The text does not match its pattern" },
  RANGE_EXCEEDED: { status: 422, title: "The number is out of its range" },
  SCHEMA_MISMATCH: { status: 422, title: "The value is against its schema" },
  TENANT_INVALID: { status: 400, title: "The tenant is malformed" },
  TENANT_MISSING: { status: 400, title: "The request names no tenant" },
} as const;

export type NodeCode = keyof typeof nodeCodes;

/** Refusals of the guards of framework/std: GuardFault; and of a PiiGuard. */
export const guardCodes = {
  ADDRESS_REFUSED: { status: 403, title: "The client's address is not allowed" },
  CONTENT_TYPE_REFUSED: { status: 415, title: "The content type is not accepted" },
  CSRF_TOKEN_INVALID: { status: 403, title: "The token of the page is missing, or not of this session" },
  CSRF_REFUSED: { status: 403, title: "The request may be forged by another site" },
  IDEMPOTENCY_KEY_INVALID: { status: 400, title: "The idempotency key is missing or malformed" },
  ORIGIN_REFUSED: { status: 403, title: "Pages of this origin are not allowed" },
  PERSONAL_DATA_REFUSED: { status: 422, title: "The input has personal data where none is expected" },
  PRECONDITION_FAILED: { status: 412, title: "The resource has changed" },
  PRECONDITION_INVALID: { status: 400, title: "A precondition is malformed" },
  PRECONDITION_REQUIRED: { status: 428, title: "The request has to be conditional" },
  RATE_LIMITED: { status: 429, title: "Too many requests" },
  RATE_LIMIT_UNAVAILABLE: { status: 503, title: "Rates cannot be counted at the moment" },
} as const;

export type GuardCode = keyof typeof guardCodes;

/** Refusals of an identity boundary: IamError. */
export const identityCodes = {
  CLAIMS_MISSING: { status: 403, title: "The identity lacks what is needed here" },
  ROLE_INSUFFICIENT: { status: 403, title: "The identity has not the role that is needed here" },
  TOKEN_EXPIRED: { status: 401, title: "The token has expired" },
  TOKEN_INVALID: { status: 401, title: "The token is not valid" },
  TOKEN_MISSING: { status: 401, title: "A token is needed" },
  VERIFIER_UNAVAILABLE: { status: 503, title: "Tokens cannot be verified at the moment" },
} as const;

export type IdentityCode = keyof typeof identityCodes;

/** Faults of the session steps: SessionFault. */
export const sessionCodes = {
  SESSIONS_FULL: { status: 503, title: "There is no room for another session at the moment" },
  SESSION_CONFLICT: { status: 409, title: "Another request has changed the session meanwhile" },
  SESSION_DATA_TOO_LARGE: { status: 422, title: "This is more than a session may hold" },
  SESSION_STORE_UNAVAILABLE: { status: 503, title: "Sessions cannot be looked up at the moment" },
} as const;

export type SessionCode = keyof typeof sessionCodes;

/** Faults of an HttpClient: UpstreamError. */
export const upstreamCodes = {
  UPSTREAM_FAILED: { status: 502, title: "A service could not be reached" },
  UPSTREAM_INVALID: { status: 502, title: "A service answered what cannot be used" },
  UPSTREAM_REFUSED: { status: 502, title: "A service refused" },
  UPSTREAM_TIMEOUT: { status: 504, title: "A service took too long" },
} as const;

export type UpstreamCode = keyof typeof upstreamCodes;

/** Faults of the Inspector's endpoints: InspectorFault. */
export const inspectorCodes = {
  BREAKPOINTS_CLOSED: { status: 503, title: "The server is stopping and holds no runs" },
  BREAKPOINTS_FULL: { status: 409, title: "The limit of breakpoints is reached" },
  BREAKPOINT_UNKNOWN: { status: 404, title: "Unknown breakpoint" },
  CAPABILITY_PLANNED: { status: 501, title: "This server lacks the capability" },
  CONDITION_INVALID: { status: 422, title: "The condition does not parse" },
  CURSOR_INVALID: { status: 422, title: "The cursor does not belong to this query" },
  ACTION_UNRECORDED: { status: 503, title: "The action could not be recorded in the audit log" },
  AUDIT_UNREAD: { status: 503, title: "The audit log cannot be read now" },
  DEAD_LETTERS_UNAVAILABLE: { status: 503, title: "The store of dead letters cannot be read now" },
  DEAD_LETTER_INCOMPLETE: { status: 409, title: "The dead letter is incomplete" },
  DEAD_LETTER_UNKNOWN: { status: 404, title: "Unknown dead letter" },
  EDIT_INVALID: { status: 422, title: "The edited input does not match the node's schema" },
  KEPT_RUN_ACTIVE: { status: 409, title: "The run may be active" },
  KEPT_RUN_ENDED: { status: 409, title: "The run has ended" },
  KEPT_RUN_REFUSED: { status: 409, title: "The run cannot take that now" },
  KEPT_START_INVALID: { status: 422, title: "No run can begin with that" },
  KEPT_SIGNAL_INVALID: { status: 422, title: "The signal does not fit the run" },
  KEPT_RUN_UNFIT: { status: 409, title: "No mounted version can resume the run" },
  FEED_FULL: { status: 503, title: "The limit of viewers of the feed is reached" },
  IN_FLIGHT_UNKNOWN: { status: 404, title: "The run is not in flight" },
  KEPT_RUN_UNKNOWN: { status: 404, title: "Unknown durable run" },
  NODE_UNKNOWN: { status: 422, title: "Unknown node" },
  PAUSED_RUN_UNKNOWN: { status: 404, title: "The run is not held" },
  CIRCUIT_UNKNOWN: { status: 404, title: "Unknown circuit" },
  RELAY_ANSWER_TOO_LARGE: { status: 502, title: "The response exceeds the limit of relayed responses" },
  RELAY_BUSY: { status: 503, title: "The limit of relayed requests is reached" },
  RELAY_REFUSED: { status: 422, title: "The request cannot be relayed" },
  RELAY_TIMEOUT: { status: 504, title: "The relayed request timed out" },
  RELAY_UNANSWERED: { status: 502, title: "The relayed request got no response" },
  RERUN_REFUSED: { status: 409, title: "The run cannot be run again from this step" },
  ROUTE_UNKNOWN: { status: 404, title: "Unknown route" },
  SAMPLE_IMPOSSIBLE: { status: 422, title: "No value was found that matches the schema" },
  SCHEMA_UNKNOWN: { status: 404, title: "The route's input has no schema" },
  TRACE_UNKNOWN: { status: 404, title: "Unknown or evicted run" },
  REDRIVE_WOULD_SKIP: { status: 409, title: "The re-drive would skip steps that the run undid" },
  REDRIVE_IMPOSSIBLE: { status: 409, title: "This server cannot re-drive the dead letter" },
  WORKER_SILENT: { status: 503, title: "A worker did not respond in time" },
  TICKETS_FULL: { status: 503, title: "The limit of unused tickets is reached" },
} as const;

export type InspectorCode = keyof typeof inspectorCodes;

/** Codes for the Reporter only, beside those of faults: no response contains them. */
export const reportCodes = {
  AUDIT_ANCHOR_LATE: "Checkpoints of an audit log are not anchored in time",
  AUDIT_UNWRITTEN: "An audit event could not be written",
  AUDIT_UNSIGNED: "A checkpoint of an audit log could not be made",
  ALERT_RULES_FAILED: "The rules of alerts could not be compared with the figures",
  ALERT_UNDELIVERED: "An alert did not reach one of its hooks",
  ANSWER_FAILED: "An output could not be written as an answer",
  BODY_LIMIT_REDUCED: "The body limit of a route is above the memory for all bodies",
  CLOSE_FAILED: "What runs when a WebSocket has closed ended with a fault",
  CHECKPOINT_LOST: "The log of a run could not be written",
  CODE_GENERATION_FORBIDDEN: "Axons run slower, by interpreters",
  COMPENSATION_FAILED: "A compensation failed for good",
  CONFIG_UNREAD: "A key of the configuration is set that nothing reads",
  CONNECTIONS_FULL: "Connections were closed because there were too many",
  DEAD_LETTER_LOST: "A dead letter could not be kept",
  DEAD_LETTERS_UNREAD: "A store of dead letters could not be asked",
  DISPOSE_FAILED: "A provided value could not be disposed of",
  DOCS_UNGUARDED: "The documentation of the API is served in production without a guard",
  EVENTS_FAILED: "A source of events, or what a subscription was given, threw",
  EVENT_SINK_FAILED: "An event sink threw or rejected",
  FAULT_UNMAPPED: "A fault says no status: it was answered 500",
  FILE_UNREAD: "A file that is served could not be read",
  HEALTH_CHECK_FAILED: "A health check fails that did not before",
  IDEMPOTENCY_FAILED: "The store of idempotency keys failed, or an answer could not be kept",
  KEYS_UNAVAILABLE: "The keys that a URL serves could not be loaded",
  LOOP_BLOCKED: "A synchronous step, or a busy machine, held the event loop",
  INGRESS_FAILED: "A defect of the framework: please report it",
  LOCK_FAILED: "A lock's provider failed, or a lock was lost",
  LOG_DROPPED: "Log lines were dropped that nobody took in time",
  LOG_FAILED: "What a LogNode was to select or write threw",
  MEMORY_LOST: "Dead letters or unfinished runs in memory ended with the process",
  NATIVE_UNTESTED: "The native server's binary is not the one that was tested",
  OBSERVER_FAILED: "What is told of each answer threw",
  PATH_PARAMETER_UNREAD:
    "Nothing reads a parameter of a path, and a schema takes another name from the query",
  PERSONAL_DATA_FOUND: "A PiiGuard found personal data in unmarked fields of an input",
  PERSONAL_DATA_UNMARKED:
    "Schemas of routes have fields that no mark covers, and whose names say personal data",
  RECORDER_FAILED: "A recorder threw or rejected",
  PROCESS_REJECTION: "A promise was rejected that nobody awaits",
  PROCESS_EXCEPTION: "An exception outside every step",
  REDRIVE_NEEDS_REQUEST: "Steps of an Axon with dead letters read what only a request has",
  RESPONSE_UNDECLARED: "A route responded with what its OpenAPI document does not have",
  ROOMS_FAILED: "Messages to the rooms of other processes were lost",
  RUN_CUT: "A run was cut when the server stopped",
  RUN_HANGING: "Runs that were taken over write no entries",
  RUN_HOST_FAILED: "The store of kept runs could not be asked by their host",
  RUN_LOG_LONG: "The log of a run is near its limit",
  RUN_UNRESUMED: "An abandoned run, or one that the Inspector resumed, could not go on",
  RUNS_LEFT: "Abandoned runs are of Axons or versions that no code here can resume",
  SERVICE_FAILED: "A service failed, and its step made a fault of it",
  SERVICE_LINKS_IGNORED: "Kubernetes set variables for Services whose names begin with framework",
  SHUTDOWN_FAILED: "A hook or the disposal of a resource failed when the server stopped",
  STORE_UNSAFE: "A database has a setting with which answered writes can be lost",
  STORAGE_FAILED: "What a client sent could not be written to a file, or the file not removed",
  STATE_PER_HOST: "Steps keep in memory what several hosts on one store each have apart",
  STATE_PER_WORKER: "Steps keep in memory what several workers each have apart",
  STEP_PANIC: "A listener of a run's signal threw",
  STREAM_FAILED: "A stream failed while it was answered, and its connection was ended",
  TELEMETRY_DROPPED: "Spans were dropped that the endpoint of traces did not take in time",
  TLS_DOUBTFUL: "A certificate is served that clients may refuse, or whose key others may read",
  TLS_EXPIRING: "A certificate ends soon, or has ended",
  TLS_RELOADED: "Changed certificates are served",
  TLS_RELOAD_FAILED: "Changed certificates cannot be served: those before them are",
  WORKERS_CRASHING: "Workers ended three times or more within five minutes without a signal",
  WORKER_ENDED: "A worker ended, and is started again",
  WORKER_KILLED: "A worker had not stopped in time",
} as const;

/** A failed run is reported under the code of its fault. */
export type ReportCode = keyof typeof reportCodes | keyof typeof faultCodes;

// Every stable code in one table. docs/errors.md has a row for each, and a test
// compares the two. A code is never reused for something else.

/** Thrown as a FrameworkError: the program is wrong. */
export const thrownCodes = {
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
  CONFIG_INVALID: "An option is out of its range or contradicts another",
  EXTRACTOR_INVALID: "An input extractor cannot work where it is used",
  HEADER_INVALID: "A response header's name or value is not allowed on the wire",
  KEYS_UNPROVIDED: "Steps read keys that nobody provides",
  LISTEN_FAILED: "The address cannot be listened on",
  NATIVE_UNAVAILABLE: "The native server has no binary for this platform",
  PROBLEM_INVALID: "A ProblemDetail that cannot be answered",
  PROVIDE_INVALID: "A provided value was not made as declared",
  RESOURCE_MISSING: "run() was not given a declared resource",
  ROUTE_CONFLICT: "Two routes match the same requests equally",
  ROUTE_INVALID: "A route's path or method is malformed",
  SCHEMA_INVALID: "A schema does not compile",
  SCHEMA_UNSUPPORTED: "A schema uses what cannot be checked here",
} as const;

export type ThrownCode = keyof typeof thrownCodes;

/** The faults a run itself can end with (runtime-fault.ts), and what they answer over HTTP. */
export const faultCodes = {
  BRANCH_UNKNOWN: { status: 500, title: "A branch was taken that has no Axon" },
  INPUT_INVALID: { status: 422, title: "The input is against its schema" },
  JUMP_LIMIT: { status: 500, title: "A run jumped too often" },
  OUTPUT_INVALID: { status: 500, title: "The output is against its schema" },
  RUN_ABORTED: { status: 503, title: "The run was aborted" },
  STEP_TIMEOUT: { status: 504, title: "A step took too long" },
  TRANSITION_PANIC: { status: 500, title: "A step threw" },
  TRANSITION_UNDECLARED: { status: 500, title: "A step answered what it does not declare" },
} as const;

/** What an ingress answers before or beside a run: members `code`, `status` and `title` of a problem. */
export const refusalCodes = {
  BODY_MISSING: { status: 400, title: "The request has no body" },
  BODY_TIMEOUT: { status: 408, title: "The body did not arrive in time" },
  BODY_TOO_LARGE: { status: 413, title: "The body is larger than allowed" },
  CODING_UNSUPPORTED: { status: 501, title: "The transfer coding is not supported" },
  EXPECTATION_UNKNOWN: { status: 417, title: "The expectation is not supported" },
  FRAMING_INVALID: { status: 400, title: "The length of the message is ambiguous" },
  HEADER_MISSING: { status: 400, title: "A required header is missing" },
  HOST_INVALID: { status: 400, title: "The Host header is malformed" },
  INTERNAL_ERROR: { status: 500, title: "Internal server error" },
  JSON_INVALID: { status: 400, title: "The body is not the JSON that is wanted" },
  MEDIA_TYPE_UNSUPPORTED: { status: 415, title: "The content type is not accepted" },
  METHOD_NOT_ALLOWED: { status: 405, title: "The path has no such method" },
  METHOD_UNKNOWN: { status: 501, title: "The method is not supported" },
  NOT_FOUND: { status: 404, title: "There is nothing here" },
  PARAMETER_INVALID: { status: 400, title: "A parameter is missing or malformed" },
  TARGET_INVALID: { status: 400, title: "The request target is malformed" },
  TARGET_TOO_LONG: { status: 414, title: "The request target is too long" },
  TEXT_INVALID: { status: 400, title: "The body is not valid UTF-8" },
} as const;

export type RefusalCode = keyof typeof refusalCodes;

/** What reaches the Reporter alone, or is a process warning: no answer shows it. */
/** What the standard nodes (framework/std) answer as faults: NodeFault. */
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

/** What reaches the Reporter alone: no answer shows it. */
export const reportCodes = {
  ANSWER_FAILED: "An output could not be written as an answer",
  CODE_GENERATION_FORBIDDEN: "Axons run slower, by interpreters",
  COMPENSATION_FAILED: "A compensation failed for good",
  DEAD_LETTER_LOST: "A dead letter could not be kept",
  EVENT_SINK_FAILED: "An event sink threw or rejected",
  FAULT_UNMAPPED: "A fault says no status: it was answered 500",
  LOOP_BLOCKED: "A synchronous step held the event loop",
  INGRESS_FAILED: "A defect of the framework: please report it",
  LOG_FAILED: "What a LogNode was to select or write threw",
  NATIVE_UNTESTED: "The native server's binary is not the one that was tested",
  RECORDER_FAILED: "A recorder threw or rejected",
  PROCESS_REJECTION: "A promise was rejected that nobody awaits",
  PROCESS_EXCEPTION: "An exception outside every step",
  RUN_CUT: "A run was cut when the server stopped",
  STEP_PANIC: "A step threw or its promise was rejected",
} as const;

export type ReportCode = keyof typeof reportCodes;

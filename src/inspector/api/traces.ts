// Traced runs: rows, one whole run, and the difference of two runs.

import { type Static, Type } from "@sinclair/typebox";

import {
  Amount,
  Count,
  closed,
  envelope,
  Json,
  Label,
  Labels,
  Name,
  oneOf,
  orNull,
  Text,
  Time,
  WorkersSilent,
} from "./shapes.js";

/** `refused_input`: the ingress refused the request before the first step of the Axon. */
const TraceStatus = oneOf("completed", "refused_input", "faulted", "aborted");

/** What a run continues: a re-driven dead letter, a resumed run, or the run that it runs again from a step. */
export const GoesOn = Type.Object({ kind: oneOf("redrive", "resume", "rerun"), id: Name }, closed);
export type GoesOn = Static<typeof GoesOn>;

export const TraceRow = Type.Object(
  {
    run_id: Name,
    circuit: Name,
    version: Text,
    status: TraceStatus,
    started_at: Time,
    duration_us: Amount,
    /** The runs of one process never end at the same time: the order of a list. */
    ended_at: Time,
    node_count: Count,
    /** The request of the run; null for a run in process. */
    request: orNull(
      Type.Object(
        {
          method: Name,
          /** Without the query. */
          path: Text,
          route: orNull(Name),
          request_id: Name,
          trace_id: orNull(Name),
          /** 0 if the client disconnected; null while the response is not sent. */
          http_status: orNull(Count),
        },
        closed,
      ),
    ),
    goes_on: orNull(GoesOn),
    labels: Labels,
    /** The reason of the fault, in words. */
    fault: orNull(
      Type.Object(
        {
          node: Name,
          label: Name,
          code: orNull(Name),
          status: orNull(Count),
          title: Text,
          detail: orNull(Text),
          /** JSON Pointers of what is against its schema, at most 5. Absent for none. */
          pointers: Type.Optional(Type.Array(Text)),
        },
        closed,
      ),
    ),
  },
  closed,
);
export type TraceRow = Static<typeof TraceRow>;

/** Members that select runs by how they ended. */
export const runFilter = {
  /** An error is a 5xx, or a fault without a response; a refusal is any other fault. */
  outcome: Type.Optional(oneOf("completed", "refused", "error", "aborted")),
  /** Of the response: one status, "403", or a class, "5xx". */
  http_status: Type.Optional(Type.String({ pattern: "^[1-5](?:xx|[0-9]{2})$" })),
  /** Code of the fault. */
  code: Type.Optional(Name),
};

export const TraceQuery = Type.Object(
  {
    circuit: Type.Optional(Name),
    /** "POST /orders". */
    route: Type.Optional(Name),
    node: Type.Optional(Name),
    status: Type.Optional(TraceStatus),
    ...runFilter,
    /** "order:123". */
    label: Type.Optional(Label),
    min_duration_us: Type.Optional(Amount),
    /** Id of the request, or of its trace. */
    request_id: Type.Optional(Name),
    /** Of what is against its schema: "/email". */
    pointer: Type.Optional(Text),
    /** Identity or address of the client; for viewers its pseudonym. */
    client: Type.Optional(Name),
    /** Default `newest`. */
    order: Type.Optional(oneOf("newest", "slowest")),
    /** Default 50. */
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
    /** Cursor of the previous page. */
    cursor: Type.Optional(Name),
  },
  closed,
);
export type TraceQuery = Static<typeof TraceQuery>;

export const Traces = envelope(
  "traces",
  Type.Object(
    {
      traces: Type.Array(TraceRow),
      /** Cursor of the next page; null on the last. */
      cursor: orNull(Name),
      /** Number of stored and of evicted runs. */
      kept: Count,
      dropped: Count,
      workers_silent: WorkersSilent,
    },
    closed,
  ),
);

/** A value as allowed by `capture_payloads`, redacted. */
export const Payload = Type.Union([
  Type.Object({ kind: Type.Literal("off") }, closed),
  Type.Object({ kind: Type.Literal("hash"), hash: Name }, closed),
  Type.Object({ kind: Type.Literal("full"), value: Json, is_cut: Type.Boolean() }, closed),
]);
export type Payload = Static<typeof Payload>;

/** `withheld`: for operators only. */
const Known = Type.Union([
  Type.Object({ kind: Type.Literal("read"), text: Text }, closed),
  Type.Object({ kind: Type.Literal("unread"), why: Text }, closed),
  Type.Object({ kind: Type.Literal("withheld") }, closed),
]);
export type Known = Static<typeof Known>;

/** A part of a request or a response. */
const Fields = Type.Object({ names: Type.Array(Text), values: Payload }, closed);

/** The request and the response of a run. Texts `unread` say what is missing and why, and are "" for nothing. */
const Exchanged = Type.Object(
  {
    client: Type.Object(
      {
        address: Known,
        /** The verified identity. */
        identity: Known,
        /** Of the identity, else of the address; the same in all runs of one process. */
        pseudonym: Known,
      },
      closed,
    ),
    query: Fields,
    /** Without the values of Authorization, Cookie and Set-Cookie. */
    headers: Type.Object({ ...Fields.properties, unread: Text }, closed),
    body: Type.Object(
      {
        /** `refused` was parsed, `malformed` was not. */
        state: oneOf("none", "read", "refused", "malformed", "unread"),
        content_type: Text,
        /** Bytes; -1 for chunks that were not read. */
        length: Type.Integer({ minimum: -1 }),
        /** Members that its schema declares and does not mark. */
        keys: Type.Array(Text),
        value: Payload,
        /** Why it was not read, or where it is malformed. */
        unread: Text,
      },
      closed,
    ),
    response: Type.Object({ headers: Fields, body: Payload, length: Count, unread: Text }, closed),
  },
  closed,
);
export type Exchanged = Static<typeof Exchanged>;

/** Work inside a visit: a call of a service or a store, or a span of OpenTelemetry. */
export const InnerRow = Type.Object(
  {
    kind: oneOf("http", "synapse", "store", "span"),
    name: Text,
    /** Nesting depth in other rows. */
    depth: Count,
    from_us: Amount,
    duration_us: Amount,
    /** Not over when the run ended. */
    is_open: Type.Boolean(),
    /** Code of the failure. */
    failed: orNull(Text),
    /** Masked. */
    attributes: Json,
    /** Names of attributes with texts that are shown only with `capture_payloads = "full"`. */
    withheld: Type.Array(Text),
  },
  closed,
);
export type InnerRow = Static<typeof InnerRow>;

/** One visit of a node: a jump back adds another. */
export const TraceNode = Type.Object(
  {
    node: Name,
    label: Name,
    kind: Name,
    /** Nesting depth in layers and subgraphs. */
    depth: Count,
    entered_us: Amount,
    duration_us: Amount,
    /** The part of the duration that a breakpoint held the run. */
    held_us: Amount,
    outcome: oneOf("next", "fault", "branch", "jump", "emit", "aborted"),
    /** Name of the branch, label or event. */
    target: orNull(Name),
    /** Failed tries before the last: when each failed, and the pause after it. */
    retries: Type.Array(Type.Object({ attempt: Count, at_us: Amount, delay_ms: Amount }, closed)),
    /** What the run waited for before the node was entered or after it was left: no part of the duration. */
    waits: Type.Optional(
      Type.Array(
        Type.Object({ reason: oneOf("checkpoint", "lock"), from_us: Amount, waited_us: Amount }, closed),
      ),
    ),
    /** Absent for none. */
    inner: Type.Optional(Type.Array(InnerRow)),
    /** The node's p99 since start, if this visit took longer. */
    above_p99_us: Type.Optional(Amount),
    input: Payload,
    output: Payload,
  },
  closed,
);
export type TraceNode = Static<typeof TraceNode>;

export const BusAccess = Type.Object(
  { node: Name, access: oneOf("read", "write", "delete"), key: Name, value: Payload },
  closed,
);

export const Trace = Type.Object(
  {
    run: TraceRow,
    /** Absent for a run that answers no request. */
    exchange: Type.Optional(Exchanged),
    nodes: Type.Array(TraceNode),
    /** The first accesses of each node and key, in their order. */
    bus: Type.Array(BusAccess),
    /** The Timeline as defined in SPEC 1. */
    events: Type.Array(Type.Record(Type.String(), Type.Unknown())),
    events_dropped: Count,
    /** Number of rows inside nodes for which there was no room. Absent for none. */
    inner_dropped: Type.Optional(Count),
    /**
     * The thrown error, for operators: outside production, or with `capture_payloads = "full"`.
     * Null for viewers, and if nothing was thrown.
     */
    error: orNull(Type.Object({ message: Text, stack: Text, cause: orNull(Text) }, closed)),
    /** Lines of the log with the run's request id. */
    logs: Type.Array(
      Type.Object({ at: Time, level: Name, module: orNull(Text), message: Text, fields: Json }, closed),
    ),
  },
  closed,
);
export type Trace = Static<typeof Trace>;
export const OneTrace = envelope("trace", Trace);

export const TraceDiffQuery = Type.Object({ a: Name, b: Name }, closed);

const Difference = Type.Object(
  {
    what: oneOf("node", "outcome", "target", "retries", "input", "output", "bus"),
    /** JSON Pointer in the value, behind the key of the Bus; "" for the whole value. */
    pointer: Text,
    /** True for an id, a time or a rest of a limit: it differs between any two runs. */
    is_folded: Type.Boolean(),
  },
  closed,
);

export const TraceDiff = envelope(
  "trace_diff",
  Type.Object(
    {
      a: TraceRow,
      b: TraceRow,
      /**
       * The first difference of the way or the outcome, else of the data; null if both runs took the
       * same way with the same data.
       */
      parted: orNull(
        Type.Object(
          {
            /** Index in `steps`. */
            at: Count,
            what: Type.Union([Difference.properties.what, Type.Literal("end")]),
            /** In words: "a went on with 'vip', b with 'ordinary'". */
            detail: Text,
          },
          closed,
        ),
      ),
      /** Aligned steps; null on the side that has no such step. Folded differences are none for `is_same`. */
      steps: Type.Array(
        Type.Object(
          {
            ...{ a: orNull(TraceNode), b: orNull(TraceNode), is_same: Type.Boolean() },
            differs: Type.Array(Difference),
          },
          closed,
        ),
      ),
    },
    closed,
  ),
);

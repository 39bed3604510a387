// The JSON Schema of a Schematic: what docs/schematic.schema.json publishes. The types
// are core's, which has no TypeBox to make values with; native-tests/types compares both.

import { type TProperties, type TSchema, Type } from "@sinclair/typebox";

import type { IamRule } from "#core/iam/iam-rule.js";

const closed = <P extends TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: false });
const Text = Type.String({ minLength: 1 });
const Names = Type.Array(Type.String());
const AnySchema = Type.Unsafe<TSchema>(Type.Object({}, { description: "A JSON Schema" }));
const oneOf = <const T extends string>(...names: readonly T[]) =>
  Type.Union(names.map((name) => Type.Literal(name)));

const BusCapability = closed({
  reads: Names,
  writes: Names,
  may_read: Names,
  may_write: Names,
  deletes: Names,
});

const Retry = closed({ max_retries: Type.Integer({ minimum: 0 }), backoff: Text });

const ExecutionMode = closed({
  kind: Type.Literal("singleton"),
  lock_key: Text,
  ttl_ms: Type.Number({ exclusiveMinimum: 0 }),
});

const policy = {
  policy: Text,
  rule: Type.Unsafe<IamRule>(
    Type.Object({ kind: Text }, { description: "The policy as data: a kind, and what it asks for" }),
  ),
};

const Iam = closed({
  ...policy,
  verifier: Type.String(),
  token: Text,
  weakened: Type.Optional(Text),
});

const Edge = closed({
  from: Text,
  to: Text,
  kind: oneOf("Linear", "Branch", "Jump", "Parallel", "Compensation"),
  label: Type.Optional(Type.String()),
});

const Wait = closed({
  for: oneOf("time", "signal", "run", "continue"),
  ms: Type.Optional(Type.Number({ minimum: 0 })),
  signals: Type.Optional(Type.Array(closed({ name: Text, schema: AnySchema }))),
  axon: Type.Optional(Text),
});

const SourceLocation = closed({ file: Text, line: Type.Integer({ minimum: 1 }) });

const nodeWith = <S extends TSchema>(schematic: S) =>
  closed({
    id: Text,
    kind: oneOf(
      "Ingress",
      "Layer",
      "Guard",
      "Iam",
      "Atom",
      "Synapse",
      "Audit",
      "Wait",
      "Start",
      "Egress",
      "Subgraph",
      "FanOut",
      "FanIn",
    ),
    label: Text,
    description: Type.Optional(Type.String()),
    bus_capability: Type.Optional(BusCapability),
    emits: Type.Optional(Names),
    retry: Type.Optional(Retry),
    timeout_ms: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
    replay: Type.Optional(oneOf("pure", "effect")),
    compensation_node_id: Type.Optional(Text),
    offload: Type.Optional(closed({ module: Text, export: Text })),
    audit: Type.Optional(closed({ action: Type.Optional(Text), on_failure: oneOf("refuse", "log") })),
    waits: Type.Optional(Wait),
    starts: Type.Optional(Text),
    strategy: Type.Optional(oneOf("AllMustSucceed", "AnyCanFail")),
    schematic: Type.Optional(schematic),
    iam: Type.Optional(Iam),
    admits: Type.Optional(closed(policy)),
    execution_mode: Type.Optional(ExecutionMode),
    persistence: Type.Optional(closed({ checkpoint: oneOf("sync", "async", "none") })),
    budget: Type.Optional(
      closed({
        p99_ms: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
        bytes: Type.Optional(Type.Integer({ minimum: 0 })),
      }),
    ),
    input_schema: Type.Optional(AnySchema),
    output_schema: Type.Optional(AnySchema),
    source_location: Type.Optional(SourceLocation),
  });

/** A Schematic as JSON. Closed: an unknown property makes it invalid. */
export const SchematicSchema = Type.Recursive(
  (This) =>
    closed({
      schema_version: Type.Literal("1.0"),
      id: Text,
      name: Text,
      version: Type.String(),
      nodes: Type.Array(nodeWith(This)),
      edges: Type.Array(Edge),
    }),
  {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "urn:framework:schematic:1.0",
    title: "Schematic",
  },
);

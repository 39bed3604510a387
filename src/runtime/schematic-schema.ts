// The JSON Schema of a Schematic: what docs/schematic.schema.json publishes. The types
// are core's, which has no TypeBox to make values with; native-tests/types compares both.

import { type TSchema, Type } from "@sinclair/typebox";

const closed = { additionalProperties: false };
const Names = Type.Array(Type.String());
const AnySchema = Type.Unsafe<TSchema>(Type.Object({}, { description: "A JSON Schema" }));
const oneOf = <const T extends string>(...names: readonly T[]) =>
  Type.Union(names.map((name) => Type.Literal(name)));

const BusCapability = Type.Object(
  { reads: Names, writes: Names, may_read: Names, may_write: Names, deletes: Names },
  closed,
);

const Retry = Type.Object(
  { max_retries: Type.Integer({ minimum: 0 }), backoff: Type.String({ minLength: 1 }) },
  closed,
);

const ExecutionMode = Type.Object(
  {
    kind: Type.Literal("singleton"),
    lock_key: Type.String({ minLength: 1 }),
    ttl_ms: Type.Number({ exclusiveMinimum: 0 }),
  },
  closed,
);

const Iam = Type.Object(
  {
    policy: Type.String({ minLength: 1 }),
    verifier: Type.String(),
    token: Type.String({ minLength: 1 }),
    weakened: Type.Optional(Type.String({ minLength: 1 })),
  },
  closed,
);

const Edge = Type.Object(
  {
    from: Type.String({ minLength: 1 }),
    to: Type.String({ minLength: 1 }),
    kind: oneOf("Linear", "Branch", "Jump", "Parallel", "Compensation"),
    label: Type.Optional(Type.String()),
  },
  closed,
);

const SourceLocation = Type.Object(
  { file: Type.String({ minLength: 1 }), line: Type.Integer({ minimum: 1 }) },
  closed,
);

const nodeWith = <S extends TSchema>(schematic: S) =>
  Type.Object(
    {
      id: Type.String({ minLength: 1 }),
      kind: oneOf(
        "Ingress",
        "Layer",
        "Guard",
        "Iam",
        "Atom",
        "Synapse",
        "Egress",
        "Subgraph",
        "FanOut",
        "FanIn",
      ),
      label: Type.String({ minLength: 1 }),
      description: Type.Optional(Type.String()),
      bus_capability: Type.Optional(BusCapability),
      emits: Type.Optional(Names),
      retry: Type.Optional(Retry),
      timeout_ms: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
      compensation_node_id: Type.Optional(Type.String({ minLength: 1 })),
      strategy: Type.Optional(oneOf("AllMustSucceed", "AnyCanFail")),
      schematic: Type.Optional(schematic),
      iam: Type.Optional(Iam),
      execution_mode: Type.Optional(ExecutionMode),
      persistence: Type.Optional(Type.Object({ checkpoint: oneOf("sync", "async", "none") }, closed)),
      input_schema: Type.Optional(AnySchema),
      output_schema: Type.Optional(AnySchema),
      source_location: Type.Optional(SourceLocation),
    },
    closed,
  );

/** A Schematic as JSON. Closed: a property that it does not name makes it invalid. */
export const SchematicSchema = Type.Recursive(
  (This) =>
    Type.Object(
      {
        schema_version: Type.Literal("1.0"),
        id: Type.String({ minLength: 1 }),
        name: Type.String({ minLength: 1 }),
        version: Type.String(),
        nodes: Type.Array(nodeWith(This)),
        edges: Type.Array(Edge),
      },
      closed,
    ),
  {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "urn:framework:schematic:1.0",
    title: "Schematic",
  },
);

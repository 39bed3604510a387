// Facts about this server.

import { type Static, Type } from "@sinclair/typebox";

import { Amount, Count, closed, envelope, Json, Name, oneOf, orNull, Text, Time } from "./shapes.js";

export const Status = Type.Object(
  {
    service: Name,
    service_version: orNull(Text),
    profile: Name,
    production: Type.Boolean(),
    started_at: Time,
    role: oneOf("operator", "viewer"),
    framework: Name,
    schema_version: Name,
    api_version: Name,
    node: Name,
    native_server: Type.Object(
      { source: Text, version: orNull(Text), sha256: orNull(Text), is_tested: Type.Boolean() },
      closed,
    ),
    /** Each sub-crate. */
    crates: Type.Array(
      Type.Object({ name: Name, status: oneOf("released", "planned"), version: Name }, closed),
    ),
    /** Versions of the formats that the package writes and reads: schematics, store tables. */
    artefacts: Type.Array(Type.Object({ name: Name, version: Name }, closed)),
    /**
     * Capabilities of this server and its Inspector. The endpoints of a disabled capability respond
     * with 501.
     */
    capabilities: Type.Array(
      Type.Object({ name: Name, status: oneOf("available", "off"), note: orNull(Text) }, closed),
    ),
    /** Each effective value of the configuration, secrets masked. */
    configuration: Type.Array(Type.Object({ key: Name, value: Json, from: Text }, closed)),
    /** Limits fixed by the engine or by options: name, value, unit. */
    limits: Type.Array(Type.Object({ name: Name, value: Amount, unit: Text }, closed)),
    /**
     * Fill levels of the Inspector's stores. `dropped`: evicted entries; of the feed, events that
     * clients wanted and were not sent.
     */
    stores: Type.Array(
      Type.Object({ name: Name, count: Count, limit: Count, bytes: orNull(Count), dropped: Count }, closed),
    ),
    processes: Type.Array(Type.Object({ pid: Count, role: oneOf("alone", "supervisor", "worker") }, closed)),
    addresses: Type.Array(Text),
  },
  closed,
);
export type Status = Static<typeof Status>;
export const OneStatus = envelope("status", Status);
export const Health = envelope("health", Type.Object({ status: Type.Literal("ok") }, closed));

export const Ticket = envelope(
  "ticket",
  Type.Object(
    {
      ticket: Name,
      expires_at: Time,
      role: oneOf("operator", "viewer"),
      /** True if the feed is at its limit of clients. A browser gets no reason for a refused WebSocket. */
      feed_full: Type.Boolean(),
    },
    closed,
  ),
);

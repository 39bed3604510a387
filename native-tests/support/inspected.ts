// An Inspector of a small service, in memory, with the parts that a test gives it.

import assert from "node:assert/strict";

import { Axon, Framework, Type } from "framework";
import { TestApp } from "framework/http";
import { BearerAuth } from "framework/inspector";

import { Tickets } from "#inspector/door/tickets.js";
import { Feed } from "#inspector/feed/feed.js";
import { Circuits } from "#inspector/server/circuits.js";
import { endpointsOf } from "#inspector/server/endpoints.js";
import { inspectorIngress } from "#inspector/server/inspector-ingress.js";
import type { InspectorParts } from "#inspector/server/parts.js";
import { SchemaSamples } from "#inspector/server/schema-samples.js";
import { NO_OPERATORS } from "./no-operators.js";

const OPERATOR = "operator-token-0123456789";
export const VIEWER = "viewer-token-0123456789";

const Id = Type.Object({ id: Type.Integer({ minimum: 1 }) });
const Order = Type.Object({
  sku: Type.String({ minLength: 3 }),
  qty: Type.Integer({ minimum: 1, maximum: 9 }),
});

/** What is inspected. */
const service = () =>
  Framework.http()
    .get(
      "/users/:id",
      Axon.start("user", Id).thenFn("show", ({ id }) => ({ id })),
    )
    .post(
      "/orders",
      Axon.start("order", Order)
        .thenFn("keep", (order) => order)
        .withOutputSchema(Order),
    )
    .get(
      "/hello",
      Axon.start("hello").thenFn("greet", () => "hello"),
    );

export function inspected(parts: Partial<InspectorParts> = {}, feed = new Feed()) {
  const tickets = new Tickets();
  const routes = service();
  const all: InspectorParts = {
    peers: undefined,
    tickets,
    feed,
    circuits: new Circuits(() => routes.routes()),
    status: () => {
      throw new Error("not asked for");
    },
    metrics: undefined,
    traces: undefined,
    search: undefined,
    unmatched: undefined,
    steering: undefined,
    inFlight: undefined,
    stalls: undefined,
    alerts: undefined,
    offload: undefined,
    deadLetters: undefined,
    samples: new SchemaSamples(),
    rerun: undefined,
    relay: undefined,
    runs: undefined,
    audit: undefined,
    auditList: undefined,
    operators: NO_OPERATORS,
    watched: () => "off",
    now: () => 1_700_000_000_000,
    ...parts,
  };
  const ingress = inspectorIngress({
    auth: BearerAuth.tokens({ operator: OPERATOR, viewer: VIEWER }),
    tickets,
    allowedHosts: [],
    allowedOrigins: [],
    endpoints: endpointsOf(all),
    feed,
    reporter: () => {},
    page: undefined,
  });
  return { app: new TestApp(ingress), ingress, feed, tickets };
}

/** What the Inspector of a process with these parts answers to GET. */
export function answering<T>(path: string, parts: Partial<InspectorParts>): (query?: string) => Promise<T> {
  const { app } = inspected(parts);
  return async (query = "") => {
    const answer = await app.get(`${path}?${query}`, asOperator);
    assert.equal(answer.status, 200, answer.text);
    return (answer.json as { readonly data: T }).data;
  };
}

const headersOf = (token: string): Record<string, string> => ({
  host: "localhost",
  authorization: `Bearer ${token}`,
});
export const asOperator = { headers: headersOf(OPERATOR) };
export const asViewer = { headers: headersOf(VIEWER) };

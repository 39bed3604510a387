// A service that an HttpClient asks, and a program that asks it.

import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before } from "node:test";

import { Axon, HttpClient, isFault, RequestId, synapse, TraceContext, UpstreamError } from "framework";
import type { CallOptions, HttpClientOptions } from "framework/http";
import { AxonTestKit } from "framework/runtime";

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A second server, which a test tells what to do. */
export const remote: { handle: Handler; base: string } = { handle: () => {}, base: "" };
export const server = createServer((request, response) => remote.handle(request, response));

/** Serves during the tests of the file that calls it. */
export function serveRemote(): void {
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    remote.base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
}

/** Answers with what it was asked. */
export const echo: Handler = (request, response) => {
  let body = "";
  request.setEncoding("utf8").on("data", (text) => {
    body += text;
  });
  request.on("end", () => {
    const { method, url, headers } = request;
    response
      .setHeader("content-type", "application/json")
      .end(JSON.stringify({ method, url, headers, body }));
  });
};
export interface Echoed {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const TRACE: TraceContext = {
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  spanId: "00f067aa0ba902b7",
  parentSpanId: undefined,
  sampled: true,
  random: false,
  traceState: "foo=1",
};

export interface Asked {
  readonly path?: string;
  readonly options?: CallOptions;
  readonly client?: HttpClientOptions;
  readonly below?: string;
}

export const asking = ({ path = "x", options, client, below = "" }: Asked) => {
  const http = new HttpClient(remote.base + below, client);
  return Axon.start("ask").then(
    synapse({
      name: "ask",
      mayRead: HttpClient.keys,
      call: (_: void, bus) => http.json(bus, path, options),
      toFault: HttpClient.toFault,
    }),
  );
};

/** What a step with ids on its Bus is answered. */
export async function ask(asked: Asked = {}): Promise<unknown> {
  const kit = new AxonTestKit().set(RequestId, "id-1").set(TraceContext, TRACE);
  const { outcome } = await kit.run(asking(asked), undefined);
  return outcome;
}
export const echoed = async (asked: Asked = {}) => {
  remote.handle = echo;
  return (await ask(asked)) as Echoed;
};
export async function failed(asked: Asked = {}): Promise<UpstreamError> {
  const outcome = await ask(asked);
  assert.ok(isFault(outcome) && outcome.error instanceof UpstreamError, String(outcome));
  return outcome.error;
}

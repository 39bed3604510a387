// The example of three machines, for tests: its clients, and a run that is stopped whatever happens.

import { type Agent, type ClientRequest, request } from "node:http";

import { type Cluster, type ClusterOptions, startCluster } from "../../examples/cluster/cluster.js";
import { skipWithout } from "./debian-program.js";
import { EventStream } from "./event-stream.js";
import { skipWithoutPostgres } from "./postgres-server.js";
import { programArguments } from "./run-program.js";

/** For a test's `skip`. */
export const skipWithoutCluster: string | false =
  skipWithoutPostgres || skipWithout("haproxy") || skipWithout("redis-server");

/** The hosts run compiled where the test does. */
export const clusterForTest = (options: ClusterOptions = {}): Promise<Cluster> =>
  startCluster({ program: programArguments("examples/cluster/main.ts"), ...options });

/** Bodies of the shop, and of its Inspector. */
export interface HostJson {
  readonly host: string;
  readonly pid: number;
}
export interface OrderJson {
  readonly steps: readonly string[];
}
export interface RunsJson {
  readonly data: { readonly runs: readonly { readonly node?: string }[] };
}

interface Answer<Json> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** As the caller expects it; undefined where the body is no JSON. */
  readonly json: Json;
}

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly agent?: Agent;
  /** Default 60 000. */
  readonly withinMs?: number;
}

/** One request, over a connection of its own unless an agent is given. Rejects without a response. */
export function ask<Json = unknown>(
  address: string,
  path: string,
  options: Asked = {},
): Promise<Answer<Json>> {
  const { json, agent = false, withinMs = 60_000 } = options;
  const { method = json === undefined ? "GET" : "POST" } = options;
  const [host, port] = address.split(":");
  const body = json === undefined ? undefined : JSON.stringify(json);
  const headers = { ...(body !== undefined && { "content-type": "application/json" }), ...options.headers };
  return new Promise((resolve, reject) => {
    const asked = request({ agent, host, port, method, path, headers, timeout: withinMs }, (response) => {
      let text = "";
      response
        .setEncoding("utf8")
        .on("data", (piece: string) => {
          text += piece;
        })
        .on("end", () => {
          const { statusCode: status = 0, headers: received } = response;
          const isJson = /json/.test(`${received["content-type"]}`);
          resolve({ status, headers: received, text, json: (isJson ? JSON.parse(text) : undefined) as Json });
        })
        .on("error", reject);
    });
    asked
      .on("timeout", () => asked.destroy(new Error(`${method} ${path} had no response in ${withinMs} ms`)))
      .on("error", reject)
      .end(body);
  });
}

/** As a browser reads a stream of events: it reconnects at once, with the id of the newest event. */
export class Watcher {
  readonly #events: { readonly data: string }[] = [];
  /** Number of connections that were opened. */
  connections = 0;
  #lastId = "";
  #isOver = false;
  #request: ClientRequest | undefined;

  constructor(address: string, path: string) {
    this.#connect(address, path);
  }

  /** Of the levels that came. */
  get pieces(): readonly number[] {
    return this.#events.map(({ data }) => JSON.parse(data).pieces);
  }

  end(): void {
    this.#isOver = true;
    this.#request?.destroy();
  }

  #connect(address: string, path: string): void {
    if (this.#isOver) return;
    const [host, port] = address.split(":");
    const headers = {
      accept: "text/event-stream",
      ...(this.#lastId !== "" && { "last-event-id": this.#lastId }),
    };
    const again = (): void => void setTimeout(() => this.#connect(address, path), 50);
    this.#request = request({ agent: false, host, port, path, headers }, (response) => {
      if (response.statusCode === 200) this.connections += 1;
      const reader = new EventStream();
      response
        .setEncoding("utf8")
        .on("data", (piece: string) => {
          reader.read(piece);
          this.#events.push(...reader.events.splice(0));
          if (reader.lastId !== "") this.#lastId = reader.lastId;
        })
        .on("error", () => {})
        .once("close", again);
    });
    this.#request.once("error", again).end();
  }
}

/** What a browser sends with requests of a page of the shop. */
export const OWN_PAGE = { "sec-fetch-site": "same-origin" };

// What clients send as a secret, in each place of a request that can have one, is found in
// nothing that the service writes, sends or shows, wherever a mark, a name, a header or the
// shape of a credential says what it is (support/secrets-server.ts), whatever is captured.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";

import { foundIn, type MadeSecret, makeSecret } from "../../support/found-secrets.js";
import { httpReceiver } from "../../support/otlp-receiver.js";
import { until } from "../../support/patience.js";
import { type ServerProcess, startServer } from "../../support/server-process.js";
import { WebSocketClient } from "../../support/websocket-client.js";
import { get, post, talk } from "../../support/wire.js";

const OPERATOR = "operator-token-0123456789";
const KINDS =
  "node_exit circuit_exit node_paused node_resumed event metrics stall_detected stall_ended alert breakpoint";

const secrets = {
  bearer: makeSecret("the bearer token"),
  basic: makeSecret("Basic credentials"),
  cookie: makeSecret("a cookie"),
  header: makeSecret("a header"),
  query: makeSecret("the query"),
  path: makeSecret("the path"),
  nested: makeSecret("a nested field with a secret's name"),
  marked: makeSecret("a field that its schema marks"),
  subprotocol: makeSecret("a subprotocol of a WebSocket"),
  form: makeSecret("a field of a form"),
} as const;
const all: readonly MadeSecret[] = Object.values(secrets);

const payment = (mode: string): string =>
  JSON.stringify({
    mode,
    login: { device: { password: secrets.nested.text } },
    reference: secrets.marked.text,
  });

const credentials = [
  `Authorization: Bearer ${secrets.bearer.text}`,
  `Cookie: theme=dark; session_id=${secrets.cookie.text}`,
  `X-Api-Key: ${secrets.header.text}`,
  `Referer: https://other.example/?token=${encodeURIComponent(secrets.query.text)}`,
];
const target = `/pay/${encodeURIComponent(secrets.path.text)}?access_token=${encodeURIComponent(secrets.query.text)}`;
const lengthOf = (body: string): string => `Content-Length: ${Buffer.byteLength(body)}`;
const inLatin1 = (text: string): string => Buffer.from(text).toString("latin1");

const asJson = (path: string, mode: string, ...headers: readonly string[]): string =>
  post(path, inLatin1(payment(mode)), "Content-Type: application/json", lengthOf(payment(mode)), ...headers);
const pay = (mode: string): string => asJson(target, mode, ...credentials);

function login(): string {
  const body = new URLSearchParams({ user: "ada", password: secrets.form.text }).toString();
  const basic = Buffer.from(`ada:${secrets.basic.text}`).toString("base64");
  return post(
    "/login",
    body,
    ...["Content-Type: application/x-www-form-urlencoded", lengthOf(body), `Authorization: Basic ${basic}`],
  );
}

/** A hook's receiver. */
async function webhook() {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = JSON.stringify(request.headers);
    request.setEncoding("utf8").on("data", (text) => {
      body += text;
    });
    request.on("end", () => {
      bodies.push(body);
      response.writeHead(204).end();
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    bodies,
    url: `http://127.0.0.1:${port}/alerts`,
    close: () => server.close().closeAllConnections(),
  };
}

/** All that was written, sent or shown, by where that was. */
type Sinks = Readonly<Record<string, string>>;

class Watched {
  readonly server: ServerProcess;
  readonly #inspector: string;
  readonly #shown: Record<string, string> = {};

  constructor(server: ServerProcess) {
    this.server = server;
    this.#inspector = /inspecting (\S+)/.exec(server.stderr())?.[1] ?? assert.fail(server.log());
  }

  /** Sends a request on a socket of its own; answers its status. */
  readonly send = async (request: string): Promise<number> => {
    const { replies, raw } = await talk(this.server.address, request, { until: 1 });
    return replies[0]?.status ?? assert.fail(raw);
  };

  /** Asks the Inspector. What it answers is kept for whoever looks for secrets. */
  async ask(method: string, path: string, body?: unknown): Promise<any> {
    const response = await fetch(`http://${this.#inspector}${path}`, {
      method,
      headers: { authorization: `Bearer ${OPERATOR}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.ok(response.ok, `${path}: ${text}`);
    if (path === "/api/v1/relay") return this.#relayed(JSON.parse(text).data);
    const sink = `${method} ${path.replace(/[?].*|(?<=\/(?:traces|runs|dlq|paused)\/)[^/]+/, "...")}`;
    this.#shown[sink] = `${this.#shown[sink] ?? ""}${text}\n`;
    return text.startsWith("{") ? JSON.parse(text).data : text;
  }

  /** A problem says which path it is of, to who has sent it. */
  #relayed({ body: { instance, ...body }, ...answer }: any): unknown {
    this.#shown["POST /api/v1/relay"] = JSON.stringify({ ...answer, body });
    return answer;
  }

  feed(): Promise<WebSocketClient> {
    return WebSocketClient.open(this.#inspector, {
      path: "/api/v1/events",
      headers: {
        Host: "localhost",
        Authorization: `Bearer ${OPERATOR}`,
        "Sec-WebSocket-Protocol": "framework.inspector.v1",
      },
    });
  }

  get shown(): Sinks {
    return this.#shown;
  }
}

/** Does everything that leaves something somewhere. */
async function visited(watched: Watched): Promise<void> {
  for (const node_id of ["pay/gather", "pay/use", "login/use", "refund/use"])
    await watched.ask("POST", "/api/v1/breakpoints", { node_id, mode: "snapshot" });
  for (const [mode, status] of [
    ["fine", 200],
    ["throw", 500],
    ["fault", 500],
    ["text", 500],
    ["problem", 409],
  ] as const)
    assert.equal(await watched.send(pay(mode)), status, mode);
  assert.equal(await watched.send(login()), 500);
  assert.equal(await watched.send(asJson("/refund", "fault")), 500);
  await lasted(watched);
  await held(watched);
  await kept(watched);
  const relayed = await watched.ask("POST", "/api/v1/relay", {
    method: "POST",
    path: target,
    headers: Object.fromEntries(credentials.map((line) => line.split(": ") as [string, string])),
    body: JSON.parse(payment("throw")),
  });
  assert.equal(relayed.status, 500);
  assert.notEqual(relayed.run_id, null);
}

/** What lasts longer than its request: a message of a connection, and a feed, each of which fails. */
async function lasted({ server, send }: Watched): Promise<void> {
  const asked = `?access_token=${encodeURIComponent(secrets.query.text)}`;
  const headers = Object.fromEntries(
    [...credentials, `Sec-WebSocket-Protocol: chat.v1, bearer.${secrets.subprotocol.text}`].map(
      (line) => line.split(": ") as [string, string],
    ),
  );
  const socket = await WebSocketClient.open(server.address, { path: `/chat${asked}`, headers });
  socket.text(payment("throw"));
  assert.equal(await socket.nextText(), undefined);
  socket.destroy();
  assert.equal(await send(get(`/feed${asked}`, "Accept: text/event-stream", ...credentials)), 200);
  await until("both are reported", () => /chatting/.test(server.log()) && /feeding/.test(server.log()));
}

/** A run that is held, edited by nobody, let go, and stalls. */
async function held(watched: Watched): Promise<void> {
  await watched.ask("POST", "/api/v1/breakpoints", { node_id: "pay/use", condition: "mode == 'slow'" });
  const slow = watched.send(pay("slow"));
  let id = "";
  await until("the run is held", async () => {
    const { paused } = await watched.ask("GET", "/api/v1/paused");
    id = paused[0]?.id ?? "";
    return id !== "";
  });
  await watched.ask("POST", `/api/v1/paused/${id}/resume`, {});
  await until("it stalls", async () => (await watched.ask("GET", "/api/v1/stalls")).stalls.length > 0);
  assert.equal(await watched.send(post("/go", "", "Content-Length: 0")), 200);
  assert.equal(await slow, 200);
}

/** A run that a store keeps, while it is under way and when it has failed. */
async function kept(watched: Watched): Promise<void> {
  const shipped = watched.send(asJson("/ship", "slow"));
  let id = "";
  await until("the run is kept", async () => {
    const { runs } = await watched.ask("GET", "/api/v1/runs");
    id = runs[0]?.run_id ?? "";
    return id !== "" && (await watched.ask("GET", `/api/v1/runs/${id}`)).node === "ship/use";
  });
  assert.equal(await watched.send(post("/go", "", "Content-Length: 0")), 200);
  assert.equal(await shipped, 200);
  assert.equal(await watched.send(asJson("/ship", "throw")), 500);
  await watched.ask("GET", `/api/v1/runs/${id}`);
}

/** Looks at all that there is to be looked at. */
async function lookedAt(watched: Watched): Promise<void> {
  const { traces } = await watched.ask("GET", "/api/v1/traces?limit=100");
  for (const { run_id } of traces) await watched.ask("GET", `/api/v1/traces/${run_id}`);
  const pays = traces.filter(({ circuit }: { circuit: string }) => circuit === "pay");
  for (const { run_id } of pays.slice(1))
    await watched.ask("GET", `/api/v1/traces/diff?a=${pays[0].run_id}&b=${run_id}`);
  for (const { text } of all) {
    const { facts, texts } = await watched.ask("GET", `/api/v1/search?q=${encodeURIComponent(text)}`);
    assert.deepEqual([facts, texts], [[], []]);
  }
  assert.notEqual((await watched.ask("GET", "/api/v1/search?q=pay%2Fuse")).facts.length, 0);
  const { letters } = await watched.ask("GET", "/api/v1/dlq");
  assert.deepEqual(
    [...new Set(letters.map(({ circuit, kind }: Record<string, string>) => `${circuit} ${kind}`))].sort(),
    ["login step", "pay step", "refund compensation", "refund step"],
  );
  for (const { id } of letters) await watched.ask("POST", `/api/v1/dlq/${id}/redrive?skip_undone=true`, {});
  const { breakpoints } = await watched.ask("GET", "/api/v1/breakpoints");
  assert.ok(breakpoints.some(({ snapshots }: { snapshots: unknown[] }) => snapshots.length > 0));
  for (const path of ["routes", "schematics", "metrics", "metrics/pay", "alerts", "dlq", "refusals"])
    await watched.ask("GET", `/api/v1/${path}`);
  for (const path of ["/metrics", "/status"]) await watched.ask("GET", path);
}

const settings = [
  { capture: "off", format: "json" },
  { capture: "hash", format: "pretty" },
  { capture: "full", format: "json" },
  { capture: "full", format: "compact" },
] as const;

for (const { capture, format } of settings)
  describe(`what clients send as a secret, with capture "${capture}" and a log in ${format}`, () => {
    let sinks: Sinks = {};
    const ends: (() => unknown)[] = [];
    after(async () => {
      for (const end of ends) await end();
    });
    before(async () => {
      const receiver = await httpReceiver();
      const hook = await webhook();
      ends.push(() => receiver.close(), hook.close);
      const watched = new Watched(
        await startServer("./secrets-server.ts", {
          WEBHOOK: hook.url,
          FRAMEWORK_LOGGING_FORMAT: format,
          FRAMEWORK_LOGGING_LEVEL: "trace",
          FRAMEWORK_INSPECTOR_ENABLED: "true",
          FRAMEWORK_INSPECTOR_BEARER_TOKEN: OPERATOR,
          FRAMEWORK_INSPECTOR_CAPTURE_PAYLOADS: capture,
          FRAMEWORK_INSPECTOR_STALL_THRESHOLD_MS: "100",
          FRAMEWORK_INSPECTOR_METRICS_INTERVAL_MS: "200",
          OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
          OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
        }),
      );
      const { server } = watched;
      const feed = await watched.feed();
      ends.unshift(
        () => server.alive() && server.stop("SIGKILL"),
        () => feed.destroy(),
      );
      feed.text(JSON.stringify({ type: "subscribe", kinds: KINDS.split(" ") }));
      let told = "";
      const listening = (async () => {
        for (let text = await feed.nextText(); text !== undefined; text = await feed.nextText())
          told += `${text}\n`;
      })();

      await visited(watched);
      await lookedAt(watched);

      for (const kind of KINDS.split(" "))
        await until(`the feed tells of ${kind}`, () => told.includes(`"kind":"${kind}"`));
      await until("the hook is told", () => hook.bodies.length > 0);
      assert.equal(await server.stop(), 0, server.log());
      await listening;
      const spans = JSON.stringify(receiver.spans, (_, value) =>
        typeof value === "bigint" ? String(value) : value,
      );
      sinks = {
        ...watched.shown,
        ...{ stdout: server.stdout(), stderr: server.stderr(), feed: told, spans },
        webhook: hook.bodies.join("\n"),
      };
    });

    test("is found in nothing that is written, sent or shown", () => {
      const found = Object.entries(sinks).flatMap(([sink, text]) =>
        foundIn(text, all).map((where) => `${sink} has ${where}`),
      );

      assert.deepEqual(found, []);
    });

    test("is masked there, and what is none is seen", () => {
      for (const [sink, text] of [
        ["stdout", "paying"],
        ["stdout", "answered"],
        ["stdout", "'use' threw"],
        ["stdout", "chatting"],
        ["stdout", "opening"],
        ["stdout", "chat.v1, [redacted]"],
        ["stdout", "feeding"],
        ["spans", "/pay/[redacted]"],
        ["feed", "circuit_exit"],
        ["webhook", "dead_letter"],
        ["GET /api/v1/traces/...", "/pay/[redacted]"],
        ["GET /api/v1/dlq", "Refused"],
        ["GET /metrics", "/pay/:token"],
      ] as const)
        assert.ok(sinks[sink]?.includes(text), `${sink}: ${sinks[sink]?.slice(0, 2000)}`);
    });
  });

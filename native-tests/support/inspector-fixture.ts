// A server that answers the Inspector's page as the API does, for states that are hard to
// bring about: nothing there, everything broken, no connection, a thousand nodes, five
// thousand events a second. Its answers are checked against the schemas by a test.

import { createHash } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { extname, join } from "node:path";
import type { Duplex } from "node:stream";
import type { FeedEvent, FeedRequest } from "../../src/inspector/api/events.js";
import { builtInspectorPage } from "./built-page.js";
import { answerOf } from "./inspector-fixture-answers.js";
import type { FixtureState } from "./inspector-fixture-state.js";
import { frame, TEXT } from "./websocket-frames.js";

export const TOKEN = "fixture-operator-token";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

/** As strict as the real server's, and as the page is promised to work with. */
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};
const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

export class InspectorFixture {
  readonly state: FixtureState;
  /** What was asked of the API, in order. */
  readonly asked: Asked[] = [];
  /** What the feed's clients sent. */
  readonly subscriptions: FeedRequest[] = [];
  #server: Server | undefined;
  #port = 0;
  #page = "";
  #sockets = new Set<Duplex>();
  readonly #joined = new EventEmitter();
  #seq = 0;
  #lost = 0;

  constructor(state: FixtureState) {
    this.state = state;
  }

  /** On the same port after a stop. */
  async start(): Promise<this> {
    this.#page = await builtInspectorPage();
    const server = createServer((request, response) => void this.#answer(request, response));
    server.on("upgrade", (request, socket) => this.#upgrade(request, socket));
    server.on("connection", (socket: Socket) => {
      this.#all.add(socket);
      socket.on("close", () => this.#all.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(this.#port, "127.0.0.1", resolve));
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
    return this;
  }
  readonly #all = new Set<Socket>();

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of this.#all) socket.destroy();
    this.#sockets.clear();
    await closed;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** As the server's banner prints it. */
  link(place = ""): string {
    return `${this.url}/#token=${TOKEN}${place}`;
  }

  /** When so many clients of the feed are there; refused where they do not come. */
  async listened(count = 1): Promise<void> {
    const signal = AbortSignal.timeout(30_000);
    while (this.#sockets.size < count) await once(this.#joined, "joined", { signal });
  }

  /** To every client of the feed, whatever it asked for. */
  emit(events: readonly Unnumbered[], lost = 0): void {
    const numbered = events.map((event) => {
      this.#seq += 1;
      return { seq: this.#seq, at: Date.now(), ...event } as FeedEvent;
    });
    this.#lost += lost;
    this.#send({ type: "events", events: numbered, lost, lost_total: this.#lost });
  }

  #send(message: unknown): void {
    const bytes = frame(TEXT, JSON.stringify(message), { mask: false });
    for (const socket of this.#sockets) socket.write(bytes);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.url);
    if (url.pathname === "/" || url.pathname.startsWith("/assets/"))
      return this.#file(url.pathname, response);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    if (request.headers.authorization !== `Bearer ${TOKEN}`)
      return json(response, 401, {
        type: "about:blank",
        title: "Unauthorized",
        status: 401,
        code: "TOKEN_MISSING",
      });
    const asked = { method: request.method ?? "GET", path: url.pathname, query: url.searchParams, body };
    this.asked.push(asked);
    const { status, answer } = answerOf(this.state, asked);
    json(response, status, answer);
  }

  #file(path: string, response: ServerResponse): void {
    const name = path === "/" ? "index.html" : path.slice(1);
    const type = TYPES[extname(name)] ?? "text/html; charset=utf-8";
    response.writeHead(200, { ...HEADERS, "content-type": type }).end(readFileSync(join(this.#page, name)));
  }

  #upgrade(request: IncomingMessage, socket: Duplex): void {
    const offered = (request.headers["sec-websocket-protocol"] ?? "").split(/\s*,\s*/);
    if (this.state.feed === "refused" || !offered.includes("ticket.t1")) {
      socket.end("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash("sha1").update(key).digest("base64");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: framework.inspector.v1\r\n\r\n`,
    );
    this.#sockets.add(socket);
    this.#joined.emit("joined");
    socket.on("close", () => this.#sockets.delete(socket)).on("error", () => undefined);
    const hello = { type: "hello", role: this.state.role, seq: this.#seq, instance: this.state.instance };
    socket.write(frame(TEXT, JSON.stringify(hello), { mask: false }));
    readTexts(socket, (text) => this.subscriptions.push(JSON.parse(text) as FeedRequest));
  }
}

type WithoutNumber<E> = E extends unknown ? Omit<E, "seq" | "at"> : never;
export type Unnumbered = WithoutNumber<FeedEvent>;

/** Frames of one short text each: what the page sends. */
function readTexts(socket: Duplex, take: (text: string) => void): void {
  let rest = Buffer.alloc(0);
  socket.on("data", (piece: Buffer) => {
    rest = Buffer.concat([rest, piece]);
    for (;;) {
      if (rest.length < 2) return;
      const short = (rest[1] as number) & 0x7f;
      const head = short === 126 ? 4 : 2;
      if (rest.length < head) return;
      const length = short === 126 ? rest.readUInt16BE(2) : short;
      if (rest.length < head + 4 + length) return;
      const mask = rest.subarray(head, head + 4);
      const payload = Buffer.from(rest.subarray(head + 4, head + 4 + length)).map(
        (byte, n) => byte ^ (mask[n & 3] as number),
      );
      if (((rest[0] as number) & 0xf) === TEXT) take(Buffer.from(payload).toString());
      rest = rest.subarray(head + 4 + length);
    }
  });
}

function json(response: ServerResponse, status: number, answer: unknown): void {
  response.writeHead(status, { ...HEADERS, "content-type": "application/json" });
  response.end(answer === undefined ? "" : JSON.stringify(answer));
}

// Collectors of traces, as the exporters meet them: over HTTP, and over gRPC on HTTP/2.

import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { createServer as createHttp2Server, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo, Server } from "node:net";
import { gunzipSync } from "node:zlib";

import { type ReceivedSpan, spansOf } from "./otlp-spans.js";
import { until } from "./patience.js";

export interface OtlpReceiver {
  readonly endpoint: string;
  readonly protocol: "http" | "grpc";
  /** In the order in which they came. */
  readonly spans: readonly ReceivedSpan[];
  readonly requests: readonly { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  /** What becomes of a request: it is taken, refused for good, or never answered. Default "take". */
  manner: "take" | "refuse" | "hang";
  /** Waits until so many spans have come. Answers all that have. */
  received(count: number): Promise<readonly ReceivedSpan[]>;
  close(): Promise<void>;
}

type Connection = { destroy(): void };

class Receiver implements OtlpReceiver {
  readonly protocol: "http" | "grpc";
  readonly spans: ReceivedSpan[] = [];
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
  manner: "take" | "refuse" | "hang" = "take";
  readonly #server: Server;
  readonly #connections = new Set<Connection>();

  constructor(protocol: "http" | "grpc", server: Server) {
    this.protocol = protocol;
    this.#server = server;
    server.on("connection", (connection: Connection) => this.#connections.add(connection));
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  take(path: string, headers: IncomingHttpHeaders, body: Buffer): void {
    this.requests.push({ path, headers });
    if (this.manner === "take") this.spans.push(...spansOf(body));
  }

  async received(count: number): Promise<readonly ReceivedSpan[]> {
    await until(`${count} spans have come`, () => this.spans.length >= count);
    return this.spans;
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const connection of this.#connections) connection.destroy();
  }
}

export async function httpReceiver(): Promise<OtlpReceiver> {
  const server = createServer(async (request, response) => {
    const body = await whole(request);
    const isPacked = request.headers["content-encoding"] === "gzip";
    receiver.take(request.url ?? "", request.headers, isPacked ? gunzipSync(body) : body);
    if (receiver.manner === "hang") return;
    response.writeHead(receiver.manner === "take" ? 200 : 403, { "content-type": "application/x-protobuf" });
    response.end();
  });
  const receiver = new Receiver("http", server);
  return listening(server, receiver);
}

async function grpcReceiver(): Promise<OtlpReceiver> {
  const server = createHttp2Server();
  const receiver = new Receiver("grpc", server as unknown as Server);
  server.on("stream", async (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    stream.on("error", () => {});
    const framed = await whole(stream);
    // One message: a byte that says whether it is compressed, its length in four, and itself.
    const message = framed.subarray(5, 5 + framed.readUInt32BE(1));
    receiver.take(String(headers[":path"]), headers, framed[0] === 1 ? gunzipSync(message) : message);
    if (receiver.manner === "hang") return;
    stream.on("wantTrailers", () =>
      stream.sendTrailers({ "grpc-status": receiver.manner === "take" ? "0" : "7", "grpc-message": "no" }),
    );
    stream.respond({ ":status": 200, "content-type": "application/grpc+proto" }, { waitForTrailers: true });
    // An answer without members.
    stream.end(receiver.manner === "take" ? Buffer.alloc(5) : undefined);
  });
  return listening(server as unknown as Server, receiver);
}

export const receivers = { http: httpReceiver, grpc: grpcReceiver };

async function listening(server: Server, receiver: Receiver): Promise<OtlpReceiver> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return receiver;
}

async function whole(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}

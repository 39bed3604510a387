// A request by node:http, which sends what fetch will not: an upgrade, a body of GET, repeated headers.

import { type IncomingMessage, request } from "node:http";

export interface Asked {
  readonly method?: string;
  /** Default: the row's. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
}

export interface Seen {
  readonly status: number;
  readonly type: string;
  readonly code: string | undefined;
  readonly text: string;
  readonly headers: IncomingMessage["headers"];
}

const read = async (response: IncomingMessage): Promise<Seen> => {
  const type = (response.headers["content-type"] ?? "").split(";")[0] as string;
  let text = "";
  // A stream of events does not end.
  if (type === "text/event-stream") response.destroy();
  else for await (const piece of response.setEncoding("utf8")) text += piece;
  const code =
    type === "application/problem+json" && text !== "" ? (JSON.parse(text).code as string) : undefined;
  return { status: response.statusCode as number, type, code, text, headers: response.headers };
};

export function ask(port: number, { method = "GET", path = "/", headers = {}, body }: Asked): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const sent = request({
      port,
      method,
      path,
      headers: headers as Record<string, string | string[]>,
      agent: false,
    });
    sent.on("response", (response) => read(response).then(resolve, reject));
    sent.on("upgrade", (response, socket) => {
      socket.destroy();
      resolve({ status: 101, type: "", code: undefined, text: "", headers: response.headers });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** A head that promises a body which does not come. */
export function askWithoutBody(
  port: number,
  { method = "POST", path = "/", headers = {} }: Asked,
): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const sent = request({
      port,
      method,
      path,
      headers: { ...(headers as Record<string, string>), "content-length": "5" },
      agent: false,
    });
    sent.on("response", (response) => read(response).then(resolve, reject));
    sent.on("error", reject);
    sent.flushHeaders();
  });
}

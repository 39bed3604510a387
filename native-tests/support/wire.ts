// Talking to a server byte by byte.

import { connect, type Socket } from "node:net";

import { until as eventually, pause } from "./patience.js";

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Conversation {
  /** Everything that came back, as it came. */
  readonly raw: string;
  /** The complete responses in it. HEAD's have no body. */
  readonly replies: readonly Reply[];
  /** How the server left the connection when the talk was over. */
  readonly end: "open" | "closed" | "reset";
}

export interface TalkOptions {
  /**
   * Milliseconds to wait after the last piece, unless the server closes before. Default:
   * 30 000 with `until`; else until it has been quiet for 150, 2000 in the middle of a reply,
   * and 5000 where nothing comes at all.
   */
  readonly waitMs?: number;
  /** Milliseconds between pieces. Default 10. */
  readonly pauseMs?: number;
  /** How many complete replies each piece waits for, by its place. Default: none. */
  readonly after?: readonly number[];
  /** Ends our side after the last piece (a half-close). */
  readonly halfClose?: boolean;
  /** How many complete replies are enough. Default: it waits for more until the time is up. */
  readonly until?: number;
  /** Milliseconds to look, after those, whether anything comes behind them. Default 0. */
  readonly lingerMs?: number;
  /** Which replies answer HEAD. */
  readonly heads?: readonly number[];
}

/** Holds nobody up who got what he waited for: as long as there is a socket, there is somebody. */
const patience = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });

/** On a busy machine an answer takes longer than it would be waited for in vain elsewhere. */
async function quiet(received: () => string, heads: readonly number[], isOver: () => boolean): Promise<void> {
  let [silentMs, before] = [0, ""];
  while (!isOver()) {
    const began = performance.now();
    await pause(150);
    const now = received();
    // Where this process itself got no turn, no more is told of the other.
    if (now !== before) silentMs = 0;
    else if (performance.now() - began < 300) silentMs += 150;
    before = now;
    const enough = now === "" ? 5000 : read(now, heads).begun === "" ? 150 : 2000;
    if (silentMs >= enough) return;
  }
}

export function dial(address: string): Socket {
  const [host, port] = address.split(/:(?=\d+$)/);
  return connect({ host: host as string, port: Number(port), allowHalfOpen: true }).setNoDelay();
}

/** Sends the pieces, as Latin-1, and reads what comes back. */
export async function talk(
  address: string,
  pieces: string | readonly string[],
  options: TalkOptions = {},
): Promise<Conversation> {
  const { pauseMs = 10, after = [], halfClose = false, until, lingerMs = 0, heads = [] } = options;
  const { waitMs = until === undefined ? undefined : 30_000 } = options;
  const socket = dial(address);
  let raw = "";
  let end: Conversation["end"] = "open";
  let isOver = false;
  const over = new Promise<void>((resolve) => {
    socket.on("data", (data) => {
      raw += data.toString("latin1");
      if (until !== undefined && repliesIn(raw, heads).length >= until) setTimeout(resolve, lingerMs);
    });
    socket.on("end", () => {
      if (end === "open") end = "closed";
      resolve();
    });
    socket.on("error", () => {
      end = "reset";
      resolve();
    });
  }).then(() => {
    isOver = true;
  });
  for (const [i, piece] of (typeof pieces === "string" ? [pieces] : pieces).entries()) {
    if (i > 0) await pause(pauseMs);
    const { [i]: wanted = 0 } = after;
    await eventually(`${wanted} replies`, () => end !== "open" || repliesIn(raw, heads).length >= wanted);
    if (end !== "open") break;
    socket.write(piece, "latin1");
  }
  if (halfClose) socket.end();
  await Promise.race([
    over,
    waitMs === undefined
      ? quiet(
          () => raw,
          heads,
          () => isOver,
        )
      : patience(waitMs),
  ]);
  socket.destroy();
  return { raw, replies: repliesIn(raw, heads), end };
}

/** Requests on one connection, each sent when the one before it is answered. `heads` are those of HEAD. */
export async function inTurn(
  address: string,
  requests: readonly string[],
  heads: readonly number[] = [],
): Promise<Conversation["replies"]> {
  const socket = dial(address);
  let raw = "";
  let sent = 0;
  const next = (): void => {
    if (sent < requests.length) socket.write(requests[sent] as string, "latin1");
    sent += 1;
  };
  await new Promise<void>((resolve, reject) => {
    socket.on("data", (data) => {
      raw += data.toString("latin1");
      if (repliesIn(raw, heads).length >= sent) next();
      if (sent > requests.length) resolve();
    });
    socket
      .on("error", reject)
      .on("close", () => reject(new Error(`It was closed after: ${raw.slice(-200)}`)));
    next();
  }).finally(() => socket.destroy());
  return repliesIn(raw, heads);
}

/**
 * Waits until the server has come to what was sent before, on other connections: it takes
 * them in their order, and answers who asks behind them.
 */
export async function caughtUp(address: string, target = "/"): Promise<void> {
  for (let n = 0; n < 2; n += 1) await talk(address, get(target), { until: 1 });
}

/** One request, answered or not: its status, or how the connection ended. */
export async function statusOf(
  address: string,
  request: string,
  options?: TalkOptions,
): Promise<number | Conversation["end"]> {
  const { replies, end } = await talk(address, request, { until: 1, ...options });
  return replies[0]?.status ?? end;
}

const repliesIn = (raw: string, heads: readonly number[]): readonly Reply[] => read(raw, heads).replies;

/** The complete replies, and what there is of the next one. */
function read(raw: string, heads: readonly number[]): { replies: readonly Reply[]; begun: string } {
  const replies: Reply[] = [];
  let rest = raw;
  for (;;) {
    const begun = rest;
    const headEnd = rest.indexOf("\r\n\r\n");
    if (headEnd < 0) return { replies, begun };
    const [statusLine = "", ...lines] = rest.slice(0, headEnd).split("\r\n");
    const status = Number(statusLine.split(" ")[1]);
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(":")).toLowerCase(),
        line.slice(line.indexOf(":") + 1).trim(),
      ]),
    );
    rest = rest.slice(headEnd + 4);
    if (status === 100) continue;
    // The engine's own refusals have no length: they end with the connection.
    const told = headers["content-length"];
    const length =
      heads.includes(replies.length) || status === 204 || status === 304
        ? 0
        : told === undefined
          ? rest.length
          : Number(told);
    if (rest.length < length) return { replies, begun };
    replies.push({ status, headers, body: rest.slice(0, length) });
    rest = rest.slice(length);
  }
}

/** A request with a Host, no body. */
export const get = (target: string, ...headers: readonly string[]): string =>
  ["GET", target, "HTTP/1.1\r\nHost: a\r\n"].join(" ") +
  headers.map((line) => `${line}\r\n`).join("") +
  "\r\n";

export const post = (target: string, body: string, ...headers: readonly string[]): string =>
  `POST ${target} HTTP/1.1\r\nHost: a\r\n${headers.map((line) => `${line}\r\n`).join("")}\r\n${body}`;

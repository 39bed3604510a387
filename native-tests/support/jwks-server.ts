// A server of keys that a test tells what to do, and that counts what it was asked.

import { generateKeyPairSync, type JsonWebKey, type KeyObject } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";

import type { Clock } from "framework/core";

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface AskedServer {
  readonly base: string;
  /** How many requests came. */
  asked: number;
  answer: Answer;
}

/** Closed after the tests of the file. */
export async function askedServer(answer: Answer): Promise<AskedServer> {
  const http = createServer((request, response) => {
    server.asked += 1;
    server.answer(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const server: AskedServer = {
    base: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    asked: 0,
    answer,
  };
  after(() => {
    http.closeAllConnections();
    http.close();
  });
  return server;
}

export const json =
  (value: unknown, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_, response) => {
    response.writeHead(200, { "content-type": "application/jwk-set+json", ...headers });
    response.end(JSON.stringify(value));
  };

export interface SigningKey {
  readonly jwk: JsonWebKey & { readonly kid: string };
  readonly privateKey: KeyObject;
}

export function ecKey(kid: string, members: Readonly<Record<string, unknown>> = {}): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { jwk: { ...publicKey.export({ format: "jwk" }), kid, ...members }, privateKey };
}

/** Moved by hand; what is to be done after a time is done after real time. */
export class HandClock implements Clock {
  ms = 0;
  readonly now = (): number => this.ms;
  readonly after = (ms: number, then: () => void) => {
    const timer = setTimeout(then, ms).unref();
    return () => clearTimeout(timer);
  };
}

/** A verification that nobody gives up. */
export const patient = {
  get signal(): AbortSignal {
    return new AbortController().signal;
  },
};

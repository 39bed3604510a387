// Cases for an echo server as data: what is sent, what must come back, how it ends. They are
// those of Autobahn's fuzzing client, with its numbers, of the groups that each file names.

import assert from "node:assert/strict";
import { test } from "node:test";

import { type HandshakeOptions, WebSocketClient } from "./websocket-client.js";

export interface Echoed {
  readonly kind: "text" | "binary" | "ping" | "pong";
  readonly payload: Uint8Array;
}

export interface FrameCase {
  /** A sentence behind its number. */
  readonly name: string;
  /** Frames, or anything else. */
  readonly sent: readonly Uint8Array[];
  /** Bytes of a piece that is written in a turn of its own; "frame": each frame in one. Default: all at once. */
  readonly pieceBytes?: number | "frame";
  /** What comes back, in this order. Where the server fails the connection it may end before. */
  readonly comes?: readonly Echoed[];
  /**
   * Not given: this side closes it with 1000 once all has come, and so does the server.
   * `closed`: what was sent has closed it, and the server's close frame has one of these codes.
   * `failed`: the server ends it, with one of these codes, with none, or without a close frame:
   * section 7.1.7 says that it should send one, not that it must.
   */
  readonly ends?:
    | { readonly closed: readonly (number | undefined)[] }
    | { readonly failed: readonly number[] };
}

export const text = (payload: string | Uint8Array): Echoed => ({
  kind: "text",
  payload: Buffer.from(payload as string),
});
export const binary = (payload: Uint8Array): Echoed => ({ kind: "binary", payload });
export const pong = (payload: string | Uint8Array = ""): Echoed => ({
  kind: "pong",
  payload: Buffer.from(payload as string),
});

/** What a server fails a connection with where the client has broken the protocol, or sent what is no text. */
export const PROTOCOL_ERROR = { failed: [1002] } as const;
export const NO_TEXT = { failed: [1007] } as const;

/** A test for each of the cases. */
export function testFrames(
  address: () => string,
  cases: readonly FrameCase[],
  handshake?: HandshakeOptions,
): void {
  for (const each of cases)
    test(each.name, async () => {
      await runCase(address(), each, handshake);
    });
}

/** Throws where it does not come to what it should. */
async function runCase(
  address: string,
  { sent, pieceBytes, comes = [], ends }: FrameCase,
  handshake?: HandshakeOptions,
): Promise<void> {
  const client = await WebSocketClient.open(address, handshake);
  try {
    assert.equal(client.answer?.status, 101);
    if (pieceBytes === "frame")
      for (const piece of sent) await client.write(piece, Math.max(1, piece.length - 1));
    else await client.write(sent, pieceBytes);
    if (ends === undefined) await ownClose(client, comes.length);
    const { close, how } = await client.ended();
    const echoed = client.reads.map(asEchoed);
    assert.deepEqual(client.violations, []);
    if (ends !== undefined && "failed" in ends) {
      const codes = [undefined, ...ends.failed];
      assert.ok(codes.includes(close?.code), `failed with ${close?.code}`);
      assertEchoed(echoed, comes.slice(0, echoed.length));
    } else {
      assert.equal(how, "closed");
      assert.ok(close !== undefined, "ended without a close frame");
      const codes = ends === undefined ? [1000] : ends.closed;
      assert.ok(codes.includes(close.code), `closed with ${close.code}`);
      assertEchoed(echoed, comes);
    }
  } finally {
    client.destroy();
  }
}

/** Closes it once all has come, as a client does that has had enough. */
async function ownClose(client: WebSocketClient, count: number): Promise<void> {
  await client.arrived(count);
  client.closeWith(1000);
}

const asEchoed = (read: WebSocketClient["reads"][number]): Echoed =>
  read.kind === "message"
    ? { kind: read.message.binary ? "binary" : "text", payload: read.message.payload }
    : { kind: read.kind, payload: read.payload };

/** Not by deepEqual: what it says of a difference in 16 MiB is of no use. */
function assertEchoed(actual: readonly Echoed[], expected: readonly Echoed[]): void {
  assert.deepEqual(actual.map(shown), expected.map(shown));
  for (const [i, { payload }] of expected.entries())
    assert.ok(
      Buffer.compare(payload, actual[i]?.payload as Uint8Array) === 0,
      `the bytes of ${shown(expected[i] as Echoed)}`,
    );
}

const shown = ({ kind, payload }: Echoed): string =>
  `${kind} of ${payload.length}: ${Buffer.from(payload.subarray(0, 24)).toString("latin1")}`;

/** The same case as a whole, in frames, and in pieces of a byte. */
export const inThreeWays = (
  numbers: readonly [string, string, string],
  sentence: string,
  parts: Omit<FrameCase, "name">,
): readonly FrameCase[] => [
  { ...parts, name: `${numbers[0]} ${sentence}` },
  { ...parts, name: `${numbers[1]} ${sentence}, frame by frame`, pieceBytes: "frame" },
  { ...parts, name: `${numbers[2]} ${sentence}, byte by byte`, pieceBytes: 1 },
];

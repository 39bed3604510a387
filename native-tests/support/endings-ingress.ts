// Connections that end while messages are under way: to the peer, or from it.

import { Axon, Framework, Rooms, type WebSocketConnection } from "framework";
import type { Options } from "./served.js";

const MIB = 1_048_576;
/** More than kernels buffer for a peer that does not read. */
const PIECES = 12;

/** The lines of what happened; a program prints them too. */
export const told = { text: "" };
function tell(line: string): void {
  told.text += `${line}\n`;
  console.log(line);
}

/** More than the peer's socket takes, and the end of the connection. */
function pour(connection: WebSocketConnection, pieceBytes = MIB): void {
  connection.subscribe("late");
  for (let n = 0; n < (PIECES * MIB) / pieceBytes; n += 1) connection.send(Buffer.alloc(pieceBytes, n));
  connection.close(4000, "poured");
  tell(`poured, isOpen ${connection.isOpen}, then ${connection.send("more")}`);
}

const later = () => new Promise((resolve) => setImmediate(resolve));
const tellEnd = (end: unknown) => tell(`ended ${JSON.stringify(end)}`);

const held: (() => void)[] = [];

export const ingress = (options: Options) =>
  Framework.http(options)
    .bind("127.0.0.1:0")
    .drainIdle(0)
    .ws("/pour", {
      maxBackpressureBytes: 2 * PIECES * MIB,
      open: ({ query }, connection) => {
        if (query === "at-once") pour(connection);
        if (query === "in-a-microtask") void Promise.resolve().then(() => pour(connection));
        return query === "later" ? later().then(() => pour(connection)) : undefined;
      },
      message: (_, connection) => pour(connection),
      close: tellEnd,
    })
    .ws("/pour-above-limit", { message: (_, connection) => pour(connection, PIECES * MIB), close: tellEnd })
    .ws("/ends", {
      idleTimeoutSecs: 960,
      open: async (_, connection) => {
        await later();
        connection.send("hello");
        connection.close(4000, "enough");
      },
      message: () => undefined,
    })
    .ws("/steps", {
      maxConnections: 1,
      message: (message) =>
        new Promise((resolve) => {
          tell(`begun ${message}`);
          held.push(() => {
            tell(`done ${message}`);
            resolve(`done ${message}`);
          });
        }),
      close: tellEnd,
    })
    .post(
      "/late",
      Axon.start("late").thenFn("publish", (_, bus) => String(bus.get(Rooms).publish("late", "late")), {
        reads: [Rooms],
      }),
    )
    .post(
      "/proceed",
      Axon.start("proceed").thenFn("proceed", () =>
        String(held.splice(0).map((resolve) => resolve()).length),
      ),
    );

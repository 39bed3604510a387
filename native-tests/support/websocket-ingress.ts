// What the tests of frames talk to: echoes within several limits, and what clients that mean
// ill are after.

import { Framework, type WebSocketConnection } from "framework";
import type { Options } from "./served.js";

const MIB = 1_048_576;
const echo = (message: string | Uint8Array) => message;

const room = (_: unknown, connection: WebSocketConnection) => {
  connection.subscribe("room");
};

export const ingress = (options: Options) =>
  Framework.http({ maxConnections: 10_000, ...options })
    .bind("127.0.0.1:0")
    .drainIdle(0)
    .ws("/", { message: echo, maxMessageBytes: 16 * MIB, maxBackpressureBytes: 64 * MIB })
    .ws("/small", { message: echo })
    .ws("/deflate", {
      message: echo,
      maxMessageBytes: 16 * MIB,
      maxBackpressureBytes: 64 * MIB,
      deflate: true,
    })
    .ws("/slow", { message: () => new Promise(() => {}), timeoutMs: 600_000 })
    .ws("/talk", {
      // As many messages of 16 KiB as it is told: more than may wait.
      message(count, connection) {
        for (let n = 0; n < Number(count); n += 1) connection.send(Buffer.alloc(16_384, n));
      },
      close: ({ code }) => console.log(`talk closed ${code}`),
    })
    .ws("/room", { open: room, message: (message, connection) => void connection.publish("room", message) })
    .ws("/idle", { message: echo, idleTimeoutSecs: 8 })
    .ws("/outside", {
      message: (message, connection) =>
        String(connection.publish(message === "elsewhere" ? "nowhere" : "room", message)),
    });

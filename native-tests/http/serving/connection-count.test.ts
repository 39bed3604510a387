// What the server counts as connections, compared with what the kernel has.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { describe, test } from "node:test";

import { Axon, Framework } from "framework";
import type { ExtensionHost } from "#http/plan/extension.js";
import { loadedExtension } from "../../support/loaded-extension.js";
import { until } from "../../support/patience.js";
import { dial } from "../../support/wire.js";

/** Connections of the port that the server has not closed. */
function inKernel(address: string): number {
  const port = Number(address.split(":").at(-1));
  const at = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const [, ...lines] = readFileSync("/proc/self/net/tcp", "utf8").trim().split("\n");
  const rows = lines.map((line) => line.trim().split(/\s+/));
  // 01: established; 08: closed by the client alone.
  return rows.filter(([, local, , state]) => local?.endsWith(at) && (state === "01" || state === "08"))
    .length;
}

const request = (method: string, target: string, ...lines: readonly string[]) =>
  `${[`${method} ${target} HTTP/1.1`, "Host: a", ...lines].join("\r\n")}\r\n\r\n`;

describe("the number of connections", () => {
  test("is that of the kernel, and goes back to 0 behind last answers that clients leave to the server", async () => {
    let host: ExtensionHost | undefined;
    const start = (given: ExtensionHost): undefined => {
      host = given;
    };
    const ingress = Framework.http({ processGuards: false, reporter: () => {}, maxConnections: 12 })
      .bind("127.0.0.1:0")
      .drainIdle(0)
      .bodyLimit(10)
      .get(
        "/",
        Axon.start("hello").thenFn("hello", () => "hello"),
      )
      .post(
        "/",
        Axon.start("nothing").thenFn("nothing", async () => undefined),
      );
    ingress.plan = { ...ingress.plan, extensions: [loadedExtension(() => ({ name: "test", start }))] };
    const server = await ingress.run();
    const sockets: Socket[] = [];
    const sent = [
      request("HEAD", "/", "Connection: close"),
      request("HEAD", "/", "Connection: TE, close"),
      request("OPTIONS", "/", "Connection: TE, close"),
      `${request("POST", "/", "Connection: TE, close", "Content-Length: 2")}{}`,
      `${request("POST", "/", "Transfer-Encoding: chunked")}0\r\n\r\n`,
    ];

    // More than may be open at once.
    for (let n = 0; n < 4; n += 1) {
      const some = [request("GET", "/"), ...sent].map((text) => {
        const socket = dial(server.address).on("error", () => {});
        socket.write(text);
        return socket.resume();
      });
      sockets.push(...some);
      await until("they are answered", () => some.every(({ bytesRead }) => bytesRead > 0));
      assert.equal(host?.load().connections, inKernel(server.address));
      some[0]?.destroy();
      await until("they are closed", () => host?.load().connections === 0);
      assert.equal(inKernel(server.address), 0);
    }
    for (const socket of sockets) socket.destroy();
    await server.close();
  });
});

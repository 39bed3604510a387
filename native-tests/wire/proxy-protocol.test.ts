import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ingress } from "../support/limits-ingress.js";
import { proxyHeader } from "../support/proxy-header.js";
import { type Served, served } from "../support/served.js";
import { get, talk } from "../support/wire.js";

const WHOAMI = get("/whoami");

describe("the PROXY protocol", () => {
  const servers = [
    served(ingress, { trustedProxies: ["127.0.0.1"], proxyProtocol: "v2" }),
    served(ingress, { trustedProxies: ["192.0.2.0/24"], proxyProtocol: "v2" }),
    served(ingress, { trustedProxies: ["127.0.0.1"] }),
  ];

  /** Statuses and addresses of what is answered, and how the connection is left. */
  async function told(server: number, ...pieces: readonly string[]): Promise<readonly unknown[]> {
    const { replies, end } = await talk((servers[server] as Served).address, pieces, { pauseMs: 60 });
    return [...replies.map(({ status, body }) => (status === 200 ? JSON.parse(body).ip : status)), end];
  }

  test("names the client of a trusted proxy, in one piece with the request or before it", async () => {
    assert.deepEqual(await told(0, proxyHeader("198.51.100.7") + WHOAMI), ["198.51.100.7", "closed"]);
    assert.deepEqual(await told(0, proxyHeader("198.51.100.7"), WHOAMI), ["198.51.100.7", "closed"]);
  });

  test("is required of a trusted proxy: a request without it is 400, and so is one without an address", async () => {
    assert.deepEqual(await told(0, WHOAMI), [400, "closed"]);
    assert.deepEqual(await told(0, proxyHeader(undefined) + WHOAMI), [400, "closed"]);
    const { replies } = await talk((servers[0] as Served).address, WHOAMI);
    assert.equal(JSON.parse(replies[0]?.body ?? "").code, "PROXY_HEADER_MISSING");
  });

  // The engine does not tell the command (docs/decisions/0008): if it does one day, this is to be 400.
  test("names a client with LOCAL too, where that has an address", async () => {
    assert.deepEqual(await told(0, proxyHeader("198.51.100.7", true) + WHOAMI), ["198.51.100.7", "closed"]);
    assert.deepEqual(await told(1, proxyHeader("198.51.100.7", true) + WHOAMI), ["127.0.0.1", "closed"]);
  });

  test("is not believed of anybody else", async () => {
    assert.deepEqual(await told(1, proxyHeader("198.51.100.7") + WHOAMI), ["127.0.0.1", "closed"]);
    assert.deepEqual(await told(1, WHOAMI), ["127.0.0.1", "closed"]);
  });

  test("is not believed where it is off, and the connection goes on", async () => {
    assert.deepEqual(await told(2, proxyHeader("198.51.100.7") + WHOAMI), ["127.0.0.1", "open"]);
    assert.deepEqual(await told(2, WHOAMI, proxyHeader("198.51.100.7") + WHOAMI), [
      "127.0.0.1",
      "127.0.0.1",
      "open",
    ]);
  });
});

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { ingress } from "../support/limits-ingress.js";
import { type Served, served } from "../support/served.js";
import { get, talk } from "../support/wire.js";

const HOPS = ["X-Forwarded-For: 203.0.113.9", "x-forwarded-for: 198.51.100.7", "X-Forwarded-Proto: https"];

async function whoami(server: Served, ...lines: readonly string[]): Promise<unknown> {
  const { replies } = await talk(server.address, get("/whoami", ...lines), { until: 1 });
  return JSON.parse(replies[0]?.body ?? "null");
}

describe("the client's address on the wire", () => {
  const folder = mkdtempSync(join(tmpdir(), "framework-"));
  const servers = [
    served(ingress),
    served(ingress, { trustedProxies: ["127.0.0.0/8"] }),
    served(ingress, { trustedProxies: ["127.0.0.1"], forwardedHeader: "forwarded" }),
    served(ingress, { address: `unix:${join(folder, "s")}` }),
    served(ingress, { trustedProxies: ["127.0.0.1"], address: "[::]:0" }),
  ];
  after(() => rmSync(folder, { recursive: true }));
  const server = (i: number) => servers[i] as Served;

  test("is the peer's where no proxy is trusted, whatever the headers say", async () => {
    assert.deepEqual(await whoami(server(0), ...HOPS, "Forwarded: for=198.51.100.7"), {
      ip: "127.0.0.1",
      identity: "127.0.0.1",
      scheme: "http",
    });
  });

  test("is in the last line that a trusted proxy added", async () => {
    assert.deepEqual(await whoami(server(1), ...HOPS), {
      ip: "198.51.100.7",
      identity: "198.51.100.7",
      scheme: "https",
    });
    assert.deepEqual(await whoami(server(2), ...HOPS, 'Forwarded: for="[2001:db8::1]:80";proto=https'), {
      ip: "2001:db8::1",
      identity: "2001:db8::/64",
      scheme: "https",
    });
  });

  test("is nobody's where a trusted proxy hides it", async () => {
    assert.deepEqual(await whoami(server(1), "X-Forwarded-For: 198.51.100.7", "X-Forwarded-For: unknown"), {
      identity: "unknown",
      scheme: "http",
    });
  });

  test("is what the proxy at a socket of the file system says", async () => {
    const over = (lines: readonly string[]) =>
      new Promise<string>((resolve) => {
        let raw = "";
        const socket = connect(join(folder, "s"), () => socket.write(get("/whoami", ...lines)));
        socket.on("data", (data) => {
          raw += data;
          if (raw.endsWith("}")) socket.destroy();
        });
        socket.on("close", () => resolve(raw.slice(raw.indexOf("\r\n\r\n") + 4)));
      });

    assert.deepEqual(JSON.parse(await over(HOPS)).ip, "198.51.100.7");
    assert.deepEqual(JSON.parse(await over([])), { identity: "unknown", scheme: "http" });
  });

  test("is an IPv4 address on a socket of both families", async () => {
    const ipv4 = { ...server(4), address: server(4).address.replace("[::]", "127.0.0.1") };

    assert.deepEqual(await whoami(ipv4, "X-Forwarded-For: unknown, 127.0.0.1"), {
      identity: "unknown",
      scheme: "http",
    });
    assert.deepEqual(await whoami(ipv4), { ip: "127.0.0.1", identity: "127.0.0.1", scheme: "http" });
  });

  test("is read of a head that is all hops, in time", async () => {
    const hops = `X-Forwarded-For: ${"127.0.0.1,".repeat(1500)}127.0.0.1`;

    assert.deepEqual(await whoami(server(1), hops), {
      ip: "127.0.0.1",
      identity: "127.0.0.1",
      scheme: "http",
    });
  });
});

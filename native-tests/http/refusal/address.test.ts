import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { formatHostPort, parseAddress } from "#http/refusal/address.js";

describe("an address", () => {
  test("is a host and port, or a path", () => {
    assert.deepEqual(parseAddress("127.0.0.1:0"), { kind: "tcp", host: "127.0.0.1", port: 0 });
    assert.deepEqual(parseAddress("localhost:65535"), { kind: "tcp", host: "localhost", port: 65_535 });
    assert.deepEqual(parseAddress("[::1]:3000"), { kind: "tcp", host: "::1", port: 3000 });
    assert.deepEqual(parseAddress("unix:/run/app.sock"), { kind: "unix", path: "/run/app.sock" });
  });

  test("is refused where it is neither", () => {
    for (const text of [
      "",
      "3000",
      "localhost",
      "localhost:",
      "localhost:65536",
      "localhost:-1",
      "::1:3000",
      "[::1]",
      "a:b:1",
      "unix:",
      `unix:/${"a".repeat(107)}`,
    ]) {
      assert.throws(() => parseAddress(text), { code: "CONFIG_INVALID" }, text);
    }
  });

  test("is refused where a program that checks no types gives a port alone", () => {
    assert.throws(() => parseAddress(3000 as unknown as string), {
      code: "CONFIG_INVALID",
      message: /^Address '3000': use 'host:port'/,
    });
  });

  test("is written with brackets round an IPv6 address", () => {
    assert.equal(formatHostPort("::1", 80), "[::1]:80");
    assert.equal(formatHostPort("127.0.0.1", 80), "127.0.0.1:80");
  });
});

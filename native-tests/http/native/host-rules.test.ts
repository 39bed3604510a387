import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { HostRules } from "#http/native/host-rules.js";

const allowed = (rules: readonly string[], hosts: readonly string[]): readonly string[] => {
  const compiled = new HostRules(rules);
  return hosts.filter((host) => compiled.allows(host));
};

describe("allowed hosts", () => {
  test("are all where there is no rule", () => {
    assert.deepEqual(allowed([], ["a", "[::1]:80"]), ["a", "[::1]:80"]);
  });

  test("are those that are named, on every port and in any case", () => {
    const named = [
      "example.com",
      "example.com:80",
      "example.com:",
      "EXAMPLE.com",
      "example.com.",
      "example.com.:80",
    ];

    assert.deepEqual(allowed(["example.com"], named), named);
    assert.deepEqual(allowed(["Example.COM"], named), named);
    assert.deepEqual(
      allowed(["example.com"], ["www.example.com", "example.com.evil", "evil-example.com", "example.co", ""]),
      [],
    );
  });

  test("are named with a port for that port alone", () => {
    assert.deepEqual(
      allowed(
        ["example.com:8080"],
        ["example.com:8080", "example.com", "example.com:80", "example.com:80800"],
      ),
      ["example.com:8080"],
    );
  });

  test("are all below a name with a star, at any depth, and not the name itself", () => {
    assert.deepEqual(
      allowed(
        ["*.example.com"],
        [
          "a.example.com",
          "a.b.example.com:80",
          "example.com",
          ".example.com",
          "aexample.com",
          "a.example.com.evil",
        ],
      ),
      ["a.example.com", "a.b.example.com:80"],
    );
    assert.deepEqual(
      allowed(["*.example.com:81"], ["a.example.com:81", "a.example.com:80", "a.example.com"]),
      ["a.example.com:81"],
    );
  });

  test("are addresses however they are written", () => {
    assert.deepEqual(
      allowed(["[::1]", "127.0.0.1:80"], ["[0:0::1]:3000", "[::1]", "127.0.0.1:80", "127.0.0.1", "[::2]"]),
      ["[0:0::1]:3000", "[::1]", "127.0.0.1:80"],
    );
  });

  test("cannot be named by what is no host", () => {
    for (const rule of [
      "",
      "*",
      "*.*.com",
      "a.*.com",
      "http://a",
      "a/b",
      "a:port",
      "a:999999",
      "[::1",
      "[1.2]",
      ".a",
    ])
      assert.throws(() => new HostRules(["a", rule]), { code: "CONFIG_INVALID" }, rule);
  });
});

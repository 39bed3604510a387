import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { parseIp } from "#core/net/ip-address.js";
import { type Client, ClientReader, clientIdentity } from "#http/client/client.js";
import type { ForwardedHeader } from "#http/client/forwarding.js";
import { MemoryRequest } from "#http/exchange/memory/memory-request.js";

type Lines = readonly (readonly [string, string])[];

const PROXY = "10.0.0.1";
const TRUSTED = ["10.0.0.0/8", "fd00::/8"];

const ipOf = ({ ip }: Client) => ip;
const bytesOf = (address: string) => parseIp(address) ?? new Uint8Array(0);

const link = (peer: string, proxied = "") => ({ peer: () => bytesOf(peer), proxied: () => bytesOf(proxied) });

function clientOf(peer: string, lines: Lines, forwardedHeader: ForwardedHeader = "x-forwarded-for") {
  const reader = new ClientReader({ trustedProxies: TRUSTED, forwardedHeader, proxyProtocol: "off" });
  return reader.read(link(peer, "203.0.113.250"), new MemoryRequest("/", lines));
}

/** The address behind a trusted proxy that sends these values of X-Forwarded-For. */
const behind = (...values: readonly string[]) =>
  ipOf(
    clientOf(
      PROXY,
      values.map((value) => ["X-Forwarded-For", value] as const),
    ),
  );

const forwarded = (...values: readonly string[]) =>
  clientOf(
    PROXY,
    values.map((value) => ["Forwarded", value] as const),
    "forwarded",
  );

describe("the client", () => {
  test("is the socket's peer where that is no trusted proxy, whatever it says", () => {
    const client = clientOf("192.0.2.1", [
      ["X-Forwarded-For", "198.51.100.7"],
      ["Forwarded", "for=198.51.100.7;proto=https"],
      ["X-Forwarded-Proto", "https"],
    ]);

    assert.deepEqual([ipOf(client), client.scheme], ["192.0.2.1", "http"]);
    assert.equal(ipOf(clientOf("11.0.0.1", [["X-Forwarded-For", "198.51.100.7"]])), "11.0.0.1");
  });

  test("is the proxy itself where it sends no such header", () => {
    assert.equal(ipOf(clientOf(PROXY, [])), PROXY);
  });

  test("is the right-most hop that is no trusted proxy", () => {
    assert.equal(behind("198.51.100.7"), "198.51.100.7");
    assert.equal(behind("203.0.113.9, 198.51.100.7"), "198.51.100.7");
    assert.equal(behind("203.0.113.9, 198.51.100.7, 10.0.0.2,10.0.0.3"), "198.51.100.7");
    assert.equal(behind("10.9.9.9, 198.51.100.7, fd00::1"), "198.51.100.7");
    assert.equal(behind("garbage,, 198.51.100.7"), "198.51.100.7");
  });

  test("is the left-most hop where all are trusted proxies", () => {
    assert.equal(behind("10.0.0.3, 10.0.0.2"), "10.0.0.3");
  });

  test("is found in all lines of the header, in their order", () => {
    assert.equal(behind("203.0.113.9", "198.51.100.7"), "198.51.100.7");
    assert.equal(behind("203.0.113.9", "198.51.100.7", "10.0.0.2"), "198.51.100.7");
    assert.equal(ipOf(forwarded("for=203.0.113.9", "for=198.51.100.7")), "198.51.100.7");
  });

  test("is unknown where a trusted proxy names no address, and nothing left of it is read", () => {
    for (const hop of [
      "unknown",
      "_hidden",
      "",
      "1.2.3",
      "a.example",
      "1.2.3.4:x",
      "[::1",
      "1.2.3.4 5.6.7.8",
    ]) {
      assert.equal(behind(`198.51.100.7, ${hop}`), undefined, hop);
      assert.equal(behind(`198.51.100.7, ${hop}, 10.0.0.2`), undefined, hop);
    }
    assert.equal(behind(""), undefined);
    assert.equal(forwarded("").ip, undefined);
    assert.equal(clientIdentity(clientOf(PROXY, [["X-Forwarded-For", "unknown"]])), "unknown");
  });

  test("may have a port and brackets", () => {
    for (const [hop, expected] of [
      ["198.51.100.7:4711", "198.51.100.7"],
      ["198.51.100.7:_port", "198.51.100.7"],
      ["[2001:db8::1]:4711", "2001:db8::1"],
      ["[2001:DB8:0::1]", "2001:db8::1"],
      ["2001:db8::1", "2001:db8::1"],
      ["::ffff:198.51.100.7", "198.51.100.7"],
    ] as const)
      assert.equal(behind(hop), expected, hop);
  });

  test("is found behind 32 proxies, and not looked for behind more", () => {
    const proxies = (count: number) => new Array(count).fill("10.0.0.2").join(",");

    assert.equal(behind(`198.51.100.7,${proxies(31)}`), "198.51.100.7");
    assert.equal(behind(`198.51.100.7,${proxies(32)}`), "10.0.0.2");
  });

  test("is whom the configured header names, and the other one is not read", () => {
    const lines: Lines = [
      ["X-Forwarded-For", "198.51.100.7"],
      ["Forwarded", "for=203.0.113.9"],
    ];

    assert.equal(ipOf(clientOf(PROXY, lines)), "198.51.100.7");
    assert.equal(ipOf(clientOf(PROXY, lines, "forwarded")), "203.0.113.9");
    assert.equal(ipOf(clientOf(PROXY, lines.slice(1))), PROXY);
  });

  test("is unknown on a socket of the file system, unless a header names it", () => {
    assert.equal(ipOf(clientOf("", [])), undefined);
    assert.equal(ipOf(clientOf("", [["X-Forwarded-For", "198.51.100.7"]])), "198.51.100.7");
  });

  test("is one, whichever family the socket is of", () => {
    const reader = new ClientReader({
      trustedProxies: TRUSTED,
      forwardedHeader: "x-forwarded-for",
      proxyProtocol: "off",
    });
    const mapped = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 10, 0, 0, 1);
    const request = new MemoryRequest("/", [["X-Forwarded-For", "198.51.100.7"]]);

    assert.equal(ipOf(reader.read({ ...link(""), peer: () => mapped }, request)), "198.51.100.7");
  });

  test("is identified by its address, of IPv6 by the first 64 bits", () => {
    assert.equal(clientIdentity(clientOf("192.0.2.1", [])), "192.0.2.1");
    assert.equal(clientIdentity(clientOf("2001:db8:1:2:3:4:5:6", [])), "2001:db8:1:2::/64");
    assert.equal(clientIdentity(clientOf("2001:db8:1:2:ffff::", [])), "2001:db8:1:2::/64");
  });
});

describe("a server that speaks TLS", () => {
  const spoken = (peer: string, lines: Lines, forwardedHeader: "x-forwarded-for" | "forwarded") => {
    const rules = { trustedProxies: TRUSTED, forwardedHeader, proxyProtocol: "off" } as const;
    const reader = new ClientReader(rules, { kind: "tcp" }, "https");
    return reader.read(link(peer), new MemoryRequest("/", lines)).scheme;
  };

  test("is spoken to by https, unless a trusted proxy says otherwise", () => {
    const plain: Lines = [
      ["X-Forwarded-For", "198.51.100.7"],
      ["X-Forwarded-Proto", "http"],
    ];

    assert.equal(spoken("192.0.2.1", plain, "x-forwarded-for"), "https");
    assert.equal(spoken(PROXY, plain, "x-forwarded-for"), "http");
    assert.equal(spoken(PROXY, plain.slice(0, 1), "x-forwarded-for"), "https");
    assert.equal(spoken(PROXY, [], "x-forwarded-for"), "https");
    assert.equal(spoken(PROXY, [["Forwarded", "for=198.51.100.7;proto=http"]], "forwarded"), "http");
    assert.equal(spoken(PROXY, [["Forwarded", "for=198.51.100.7"]], "forwarded"), "https");
  });

  test("asks nothing of the connection where nobody is trusted to say otherwise", () => {
    const rules = { trustedProxies: [], forwardedHeader: "forwarded", proxyProtocol: "off" } as const;
    const untouched = { peer: () => assert.fail(), proxied: () => assert.fail(), own: () => assert.fail() };

    const reader = new ClientReader(rules, { kind: "tcp" }, "https");
    assert.equal(reader.schemeOf(untouched, new MemoryRequest("/", [])), "https");
  });
});

describe("Forwarded", () => {
  test("is read as RFC 7239 writes it", () => {
    for (const [value, expected] of [
      ["for=192.0.2.60;proto=http;by=203.0.113.43", "192.0.2.60"],
      ['For="[2001:db8:cafe::17]:4711"', "2001:db8:cafe::17"],
      ['for="198.51.100.7:80"', "198.51.100.7"],
      ["for=198.51.100.7:80", "198.51.100.7"],
      ["by=1.2.3.4 ; for=198.51.100.7", "198.51.100.7"],
      [String.raw`for="198.51.\100.7"`, "198.51.100.7"],
      ['for=203.0.113.9;host="a,b", for=198.51.100.7;host="c,\\",d"', "198.51.100.7"],
      ["for=unknown", undefined],
      ["for=_gazonk", undefined],
      ['for="_gazonk"', undefined],
      ["proto=https", undefined],
      ["for=198.51.100.7;for=203.0.113.9", undefined],
      ["for = 198.51.100.7", undefined],
      ["for=198.51.100.7 x", undefined],
      ['for="198.51.100.7', undefined],
      ["for=", undefined],
    ] as const)
      assert.equal(ipOf(forwarded(value)), expected, value);
  });

  test("says how the client spoke in the hop that names it", () => {
    const spoken = (value: string) => forwarded(value).scheme;

    assert.equal(spoken("for=198.51.100.7;proto=https, for=10.0.0.2;proto=http"), "https");
    assert.equal(spoken("for=203.0.113.9;proto=https, for=198.51.100.7;proto=http"), "http");
    assert.equal(spoken("for=203.0.113.9;proto=https, for=198.51.100.7"), "http");
    assert.equal(spoken('for=198.51.100.7;proto="HTTPS"'), "https");
    assert.equal(spoken("for=198.51.100.7;proto=gopher"), "http");
  });

  test("is believed of what the proxy added, whatever the client wrote before it", () => {
    const hops = [
      ["for=198.51.100.7", "198.51.100.7"],
      ['for="[2001:db8::1]:80";proto=https', "2001:db8::1"],
      ['host="a;b";for=198.51.100.7', "198.51.100.7"],
    ] as const;
    const lies = fc.array(
      fc.constantFrom('"', "\\", ",", ";", "=", "for", "for=203.0.113.9", 'x="', " ", "10.0.0.2", "a"),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(
        lies,
        fc.constantFrom(...hops),
        fc.constantFrom(",", ", "),
        (lie, [hop, expected], comma) => {
          assert.equal(ipOf(forwarded(`${lie.join("")}${comma}${hop}`)), expected);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe("X-Forwarded-Proto", () => {
  const spoken = (...values: readonly string[]) =>
    clientOf(PROXY, [
      ["X-Forwarded-For", "198.51.100.7"],
      ...values.map((value) => ["X-Forwarded-Proto", value] as const),
    ]).scheme;

  test("says how the client spoke, by the word of the nearest proxy", () => {
    assert.equal(spoken("https"), "https");
    assert.equal(spoken("HTTPS"), "https");
    assert.equal(spoken("https, http"), "http");
    assert.equal(spoken("https", "http"), "http");
    assert.equal(spoken("javascript"), "http");
    assert.equal(spoken(), "http");
  });
});

describe("the PROXY header", () => {
  const reader = new ClientReader({
    trustedProxies: TRUSTED,
    forwardedHeader: "x-forwarded-for",
    proxyProtocol: "v2",
  });
  const named = (peer: string, proxied: string, ...hops: readonly string[]) =>
    ipOf(
      reader.read(
        link(peer, proxied),
        new MemoryRequest(
          "/",
          hops.map((hop) => ["x-forwarded-for", hop] as const),
        ),
      ),
    );

  test("names the client where a trusted proxy sent it", () => {
    assert.equal(named(PROXY, "198.51.100.7"), "198.51.100.7");
    assert.equal(named("", "198.51.100.7"), "198.51.100.7");
    assert.equal(named(PROXY, "::ffff:198.51.100.7"), "198.51.100.7");
    assert.equal(named("192.0.2.1", "198.51.100.7"), "192.0.2.1");
  });

  test("comes before the hops, which are read only of a trusted proxy in front of that one", () => {
    assert.equal(named(PROXY, "198.51.100.7", "203.0.113.9"), "198.51.100.7");
    assert.equal(named(PROXY, "10.0.0.2", "203.0.113.9"), "203.0.113.9");
  });

  test("is missing only where a trusted proxy left it out", () => {
    assert.ok(reader.lacksProxied(link(PROXY)));
    assert.ok(reader.lacksProxied(link("")));
    assert.ok(!reader.lacksProxied(link(PROXY, "198.51.100.7")));
    assert.ok(!reader.lacksProxied(link("192.0.2.1")));
  });
});

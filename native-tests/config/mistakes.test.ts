import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { inspect } from "node:util";

import fc from "fast-check";

import { FrameworkError } from "framework/core";
import { FrameworkConfig } from "#config/config.js";
import { ConfigError } from "#config/mistake.js";
import { folderWith, loaded, mistaken, reported } from "../support/config-folder.js";
import { assertSaid } from "../support/said.js";

describe("a newcomer with a mistake in every layer", () => {
  const toml = `port = 3000

[server]
prot = 8080
host = "http://127.0.0.1"
trusted_proxies = ["10.0.0.0/8", "10.0.0.0/33"]
body_timeout_ms = 60_000

[sever]
port = 1

[tls]
enabled = true
cert_path = "cert.pem"

[logging]
level = "verbose"
module_levels = { http = "loud" }

[inspector]
bearer_token = "letmein"
viewer_token = "also short"

[persistence]
url = "mysql://root:hunter22@db/app"

[profile.staging]
server.maxInFlight = 10
colour = "blue"

[profile.other.server]
workers = 0
`;
  const env = {
    FRAMEWORK_PROFILE: "stagign",
    FRAMEWORK_SERVER_PORT: "eighty",
    FRAMEWORK_SERVER_PROCESS_GUARDS: "yes",
    FRAMEWORK_SERVER_BODYLIMIT_BYTES: "5",
    FRAMEWORK_PORT: "80",
    FRAMEWORK_INSPECTOR_SAMPLE_RATIO: "1.5",
    FRAMEWORK_LOGGING_MODULE_LEVELS: "http",
    OTEL_TRACES_SAMPLER_ARG: "half",
    FRAMEWORK_REDIS_URL: "cache.example.org:6379",
    PATH: "/bin",
  };

  test("gets one report of all of them", () => {
    assert.deepEqual(
      reported(() => loaded(toml, env)),
      [
        "framework.toml:1:1 port: there is no such key; did you mean server.port or inspector.port?",
        "framework.toml:4:1 server.prot: there is no such key; did you mean server.port?",
        'framework.toml:5:1 server.host: is "http://127.0.0.1"; it must be an address or a host name, without a port, or unix: and a path of up to 107 bytes',
        'framework.toml:6:1 server.trusted_proxies: has "10.0.0.0/33"; it must be a list of addresses and ranges such as 10.0.0.0/8',
        "framework.toml:7:1 server.body_timeout_ms: is 60000; it must be a whole number from 1 to 10000",
        "framework.toml:9:1 sever: there is no such key; did you mean server?",
        'framework.toml:17:1 logging.level: is "verbose"; it must be one of "trace", "debug", "info", "warn", "error", "fatal", "silent"',
        'framework.toml:18:1 logging.module_levels: is {"http":"loud"}; it must be a table of names, each with "trace", "debug", "info", "warn", "error", "fatal", "silent"',
        "framework.toml:21:1 inspector.bearer_token: is not accepted; it must be a text of at least 16 characters",
        "framework.toml:22:1 inspector.viewer_token: is not accepted; it must be a text of at least 16 characters",
        "framework.toml:25:1 persistence.url: is not accepted; it must be a URL that begins with sqlite:, postgres://, postgresql://, memory:",
        "framework.toml:28:1 profile.staging.server.maxInFlight: there is no such key; did you mean profile.staging.server.max_in_flight?",
        "framework.toml:29:1 profile.staging.colour: there is no such key; docs/configuration.md lists them all",
        'framework.toml:32:1 profile.other.server.workers: is 0; it must be a whole number from 1 to 256, or "auto"',
        'FRAMEWORK_PROFILE: is "stagign", and framework.toml has no such [profile]; did you mean staging?',
        'FRAMEWORK_SERVER_PORT: is "eighty"; it must be a whole number from 0 to 65535',
        'FRAMEWORK_SERVER_PROCESS_GUARDS: is "yes"; it must be true or false',
        'FRAMEWORK_LOGGING_MODULE_LEVELS: is "http"; it must be a table of names, each with "trace", "debug", "info", "warn", "error", "fatal", "silent", written name=value,name=value',
        'OTEL_TRACES_SAMPLER_ARG: is "half"; it must be a number from 0 to 1',
        "FRAMEWORK_INSPECTOR_SAMPLE_RATIO: is 1.5; it must be a number from 0 to 1",
        "FRAMEWORK_REDIS_URL: is not accepted; it must be a URL that begins with redis://, rediss://",
        "FRAMEWORK_SERVER_BODYLIMIT_BYTES: there is no such variable; did you mean FRAMEWORK_SERVER_BODY_LIMIT_BYTES?",
        "FRAMEWORK_PORT: there is no such variable; did you mean FRAMEWORK_SERVER_PORT or FRAMEWORK_INSPECTOR_PORT?",
        "tls.key_path: is empty; tls.enabled needs it",
      ],
    );
  });

  test("gets them as data too", () => {
    const error = mistaken(() => loaded(toml, env));

    assert.ok(error instanceof FrameworkError);
    assert.deepEqual([error.code, error.name], ["CONFIG_INVALID", "ConfigError"]);
    assert.match(error.message, /^The configuration has 24 mistakes:\n/);
    assert.deepEqual(error.mistakes[1], {
      file: "framework.toml",
      line: 4,
      column: 1,
      key: "server.prot",
      problem: "there is no such key",
      remedy: "did you mean server.port?",
    });
  });

  test("is shown no secret, not even a wrong one", () => {
    const error = mistaken(() => loaded(toml, env));

    assert.doesNotMatch(inspect(error, { depth: 9, showHidden: true }), /letmein|hunter22|cache\.example/);
  });
});

describe("a mistake in framework.toml", () => {
  test("of syntax has its line and column, and quotes no line of the file", () => {
    const error = mistaken(() => loaded('[inspector]\nbearer_token = "correct horse battery\n'));

    assert.deepEqual(error.message.split("\n"), [
      "The configuration has a mistake:",
      "  framework.toml:2:38: this is no TOML: control characters are not allowed in strings; mend the line",
    ]);
    assert.doesNotMatch(inspect(error, { depth: 9, showHidden: true }), /horse/);
  });

  test("of syntax does not hide the mistakes in variables", () => {
    const lines = reported(() =>
      loaded("[server", { FRAMEWORK_SERVER_PORT: "x", FRAMEWORK_PROFILE: "staging" }),
    );

    assert.equal(lines.length, 2, lines.join("\n"));
    assert.match(lines[1] as string, /^FRAMEWORK_SERVER_PORT/);
  });

  test("is a table that is none, and a value that should be a table", () => {
    assertSaid(
      reported(() => loaded("server = 3\nprofile.dev = 4\n[[tls]]\nenabled = true")),
      [
        /^framework\.toml:1:1 server: .*, \[server\]$/,
        /^framework\.toml:3:1 tls: .*, \[tls\]$/,
        /^framework\.toml:2:1 profile\.dev: .*, \[profile\.dev\]$/,
      ],
    );
    assertSaid(
      reported(() => loaded("profile = 1")),
      [/^framework\.toml:1:1 profile: .*such as \[profile\.dev\]$/],
    );
  });

  test("is a key that would reach a prototype", () => {
    assertSaid(
      reported(() =>
        loaded(
          "[__proto__]\nport = 1\n[constructor]\n[server]\n__proto__ = 1\ntoString = 2\n[profile.dev.__proto__]\nx = 1",
        ),
      ),
      [
        /^framework\.toml:1:1 __proto__: there is no such key/,
        /^framework\.toml:3:1 constructor: there is no such key/,
        /^framework\.toml:5:1 server\.__proto__: there is no such key/,
        /^framework\.toml:6:1 server\.toString: there is no such key/,
        /^framework\.toml:7:1 profile\.dev\.__proto__: there is no such key/,
      ],
    );
  });

  test("is a value of a kind that no key has", () => {
    const [date, nan, long] = reported(() =>
      loaded(`server.port = 1979-05-27\nserver.workers = nan\nserver.host = "${"-".repeat(9999)}"`),
    ) as [string, string, string];

    assert.match(date, /^framework\.toml:1:1 server\.port: is "1979-05-27"; it must be a whole/);
    assert.match(nan, /server\.workers: is NaN; it must be/);
    assert.ok(long.length < 250, long);
  });

  test("cannot forge a line of the report", () => {
    const lines = reported(() =>
      loaded('"x\\nframework.toml:1:1 all is well" = 1', { "FRAMEWORK_\nX": "1" }),
    );

    assertSaid(lines, [
      /^framework\.toml:1:1 "x\\nframework\.toml:1:1 all is well": there is no such key/,
      /^"FRAMEWORK_\\nX": there is no such variable/,
    ]);
  });

  test("is a file that is no UTF-8, or is no file", () => {
    const bytes = folderWith({ "framework.toml": new Uint8Array([0x23, 0xff, 0x0a]) });
    const folder = folderWith();
    mkdirSync(join(folder, "framework.toml"));
    const report = (cwd: string) => reported(() => FrameworkConfig.load({ cwd, env: {} }));

    assert.deepEqual(report(bytes), ["framework.toml: this is not UTF-8; save it as UTF-8"]);
    assertSaid(report(folder), [/^framework\.toml: cannot be read \(EISDIR\); .*may read$/]);
  });

  test("is one whether a later layer hides it or not", () => {
    const lines = reported(() =>
      loaded("server.port = -1\n[profile.dev.server]\nport = 70000", {
        FRAMEWORK_PROFILE: "dev",
        FRAMEWORK_SERVER_PORT: "80",
      }),
    );

    assert.equal(lines.length, 2, lines.join("\n"));
  });
});

describe("a profile", () => {
  const file = "[profile.staging.server]\nport = 1";

  test("that is built in needs no table, and one that the file has is known", () => {
    for (const profile of ["dev", "test", "prod", "production"])
      assert.equal(loaded(file, { FRAMEWORK_PROFILE: profile }).server.port, 3000);
    assert.equal(loaded(file, { FRAMEWORK_PROFILE: "staging" }).server.port, 1);
    assert.equal(loaded(file, { FRAMEWORK_PROFILE: "" }).profile, undefined);
  });

  test("that nobody knows is a mistake, with the known ones", () => {
    assertSaid(
      reported(() => loaded(file, { FRAMEWORK_PROFILE: "moon" })),
      [/^FRAMEWORK_PROFILE: is "moon", .*framework\.toml .*dev, test, prod, production, staging$/],
    );
    assertSaid(
      reported(() => loaded(undefined, { FRAMEWORK_PROFILE: "prdo" })),
      [/^FRAMEWORK_PROFILE: is "prdo", .*no framework\.toml .*; did you mean prod\?$/],
    );
    assert.equal(reported(() => loaded(file, { FRAMEWORK_PROFILE: "__proto__" })).length, 1);
  });
});

describe("keys that contradict each other", () => {
  const tls = 'tls = { enabled = true, cert_path = "c.pem", key_path = "k.pem" }\n';

  test("are TLS without its files, and TLS behind the PROXY protocol or on a socket file", () => {
    assert.equal(loaded(tls).tls.certPath, "c.pem");
    assert.deepEqual(
      reported(() => loaded(`${tls}[profile.dev.tls]\ncert_path = ""`, { FRAMEWORK_PROFILE: "dev" })),
      ["framework.toml:3:1 profile.dev.tls.cert_path: is empty; tls.enabled needs it"],
    );
    assertSaid(
      reported(() =>
        loaded(tls, {
          FRAMEWORK_SERVER_PROXY_PROTOCOL: "v2",
          FRAMEWORK_SERVER_TRUSTED_PROXIES: "::1",
        }),
      ),
      [/^FRAMEWORK_SERVER_PROXY_PROTOCOL: is "v2"; .*"off" .*tls\.enabled/],
    );
    assertSaid(
      reported(() => loaded(tls, { FRAMEWORK_SERVER_HOST: "unix:/run/app.sock" })),
      [/^FRAMEWORK_SERVER_HOST: .*socket.*; tls\.enabled needs an address$/],
    );
  });

  test("are PROXY headers that nobody is trusted to send", () => {
    assertSaid(
      reported(() => loaded('server.proxy_protocol = "v2"')),
      [/^framework\.toml:1:1 server\.proxy_protocol: is "v2"; it needs server\.trusted_proxies/],
    );
    assert.ok(loaded('server.proxy_protocol = "v2"\nserver.host = "unix:/run/a"'));
    assert.ok(loaded('server.proxy_protocol = "v2"\nserver.trusted_proxies = ["::1"]'));
  });

  test("are two servers on one address", () => {
    const both = (toml: string) => () => loaded(`inspector.enabled = true\n${toml}`);

    assertSaid(reported(both("server.port = 3001")), [/^inspector\.port: is 3001; .*than server\.port$/]);
    assert.ok(both("server.port = 3001\nserver.host = '::1'")());
    assert.ok(both("server.port = 0\ninspector.port = 0")());
    assert.ok(loaded("inspector.enabled = false\nserver.port = 3001"));
  });

  test("are a delay of stopping that leaves nothing of its limit", () => {
    assertSaid(
      reported(() => loaded("[server]\nshutdown_timeout_secs = 10\nshutdown_delay_secs = 10")),
      [/^framework\.toml:3:1 server\.shutdown_delay_secs: is 10; .*less than server\.shutdown_timeout_secs/],
    );
    assert.ok(loaded("server.shutdown_timeout_secs = 0\nserver.shutdown_delay_secs = 0"));
    assert.ok(loaded("server.shutdown_timeout_secs = 3\nserver.host = '::'"));
  });

  test("are two tokens that are one", () => {
    assertSaid(
      reported(() =>
        loaded("[inspector]\nbearer_token = 'correct horse battery'\nviewer_token = 'correct horse battery'"),
      ),
      [/^framework\.toml:3:1 inspector\.viewer_token: .*not be inspector\.bearer_token$/],
    );
  });

  test("are not those that are wrong by themselves", () => {
    assertSaid(
      reported(() =>
        loaded("inspector.enabled = true\nserver.port = 3001", { FRAMEWORK_INSPECTOR_PORT: "x" }),
      ),
      [/^FRAMEWORK_INSPECTOR_PORT: is "x"; .* from 0 to 65535$/],
    );
    assert.equal(
      reported(() =>
        loaded("inspector.port = 'x'\nserver.port = 3001", {
          FRAMEWORK_INSPECTOR_ENABLED: "true",
          FRAMEWORK_INSPECTOR_PORT: "3001",
        }),
      ).length,
      2,
    );
  });
});

describe("a variable", () => {
  const port = (text: string) => loaded(undefined, { FRAMEWORK_SERVER_PORT: text }).server.port;

  test("is read as a whole number only where it is written as one", () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 65_535 }), (n) => assert.equal(port(String(n)), n)));
    fc.assert(
      fc.property(fc.string(), (text) => {
        if (text === "" || (/^(0|[1-9]\d*)$/.test(text) && Number(text) <= 65_535)) return;
        assert.throws(() => port(text), ConfigError);
      }),
    );
    for (const text of [" ", " 1", "0x10", "1_000", "01", "1.5", "-1", "65536", "Infinity", "١"])
      assert.throws(() => port(text), ConfigError, text);
  });

  test("is read as a list between commas, with blanks or not", () => {
    const address = fc.oneof(fc.ipV4(), fc.ipV6());
    const blank = fc.constantFrom("", " ", "  ");

    fc.assert(
      fc.property(fc.array(fc.tuple(blank, address, blank)), (items) => {
        const text = items.map((item) => item.join("")).join(",");
        const { server } = loaded(undefined, { FRAMEWORK_SERVER_TRUSTED_PROXIES: text });
        assert.deepEqual(
          server.trustedProxies,
          items.map(([, item]) => item),
        );
      }),
    );
    for (const text of [",", "10.0.0.0/8,", "10.0.0.0/33", "::/129", "10.0.0.0/", "fe80::1%eth0", "10.0.0"])
      assert.throws(() => loaded(undefined, { FRAMEWORK_SERVER_TRUSTED_PROXIES: text }), ConfigError, text);
  });

  test("is read as pairs", () => {
    const levels = (text: string) =>
      loaded(undefined, { FRAMEWORK_LOGGING_MODULE_LEVELS: text }).logging.moduleLevels;

    assert.deepEqual({ ...levels(" http = debug ,store=warn") }, { http: "debug", store: "warn" });
    for (const text of ["http", "=debug", "http=debug,", "http=debug=warn", "http=loud"])
      assert.throws(() => levels(text), ConfigError, text);
  });

  test("of another program is none of ours", () => {
    assert.ok(
      loaded(undefined, { FRAMEWORKS: "1", framework_server_port: "1", FRAMEWORK_SERVER_PORT: undefined }),
    );
  });

  test("names hosts, sockets and rules for hosts", () => {
    const host = (text: string) => loaded(undefined, { FRAMEWORK_SERVER_HOST: text }).server.host;
    const inspectorHost = (text: string) => loaded(undefined, { FRAMEWORK_INSPECTOR_HOST: text });
    const hosts = (text: string) =>
      loaded(undefined, { FRAMEWORK_SERVER_ALLOWED_HOSTS: text }).server.allowedHosts;

    for (const text of ["0.0.0.0", "::", "example.org", "unix:/run/app.sock"]) assert.equal(host(text), text);
    for (const text of ["unix:", "127.0.0.1:80", "[::1]", "a b", "-a", "unix:a\0b", `unix:${"é".repeat(54)}`])
      assert.throws(() => host(text), ConfigError, text);
    assert.throws(() => inspectorHost("unix:/run/app.sock"), ConfigError);
    assert.deepEqual(hosts("example.org,*.example.org:80,[::1]:80"), [
      "example.org",
      "*.example.org:80",
      "[::1]:80",
    ]);
    for (const text of ["https://example.org", "a/b", "*", "a.*.b"])
      assert.throws(() => hosts(text), ConfigError, text);
  });
});

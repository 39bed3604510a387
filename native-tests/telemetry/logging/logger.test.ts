import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { Secret } from "framework";
import { ofRequest, originOf } from "#telemetry/logging/logger.js";
import { anyValue } from "../../support/any-value.js";
import { keptLogger } from "../../support/logged-lines.js";

/** What may stand in no line: controls, separators of lines, marks that turn text. */
const ACTIVE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u;

/** The ways to hand a value to a logger. */
const WAYS: readonly ((log: ReturnType<typeof keptLogger>["log"], value: any, other: any) => void)[] = [
  (log, value) => log.info(value),
  (log, value, other) => log.info(value, other),
  (log, value, other) => log.info(value, "%s and %j", value, other),
  (log, value, other) => log.info("%s and %d and %o", value, other, value),
  (log, value, other) => log.warn({ value, other }, "text"),
  (log, value, other) => log.child({ value, other }).error("text"),
  (log, value) => log.child(Object(value)).error("text"),
  (log, value, other) => log.module(typeof other === "string" ? other : "store").info(value),
];

const anyCall = () => fc.tuple(anyValue(), anyValue(), fc.constantFrom(...WAYS));

describe("a line of the log", () => {
  test("in json is one line that can be parsed, whatever was logged", () => {
    fc.assert(
      fc.property(anyCall(), ([{ value }, { value: other }, call]) => {
        const { log, text, lines } = keptLogger();

        call(log, value, other);

        assert.equal(text().match(/\n/g)?.length, 1);
        assert.doesNotMatch(text().slice(0, -1), ACTIVE);
        assert.ok(text().length < 500_000);
        const [line] = lines();
        assert.ok([30, 40, 50].includes(line?.["level"]), "the level is what was called");
        assert.ok(Math.abs(Date.now() - line?.["time"]) < 60_000);
      }),
      { numRuns: 300 },
    );
  });

  test("in compact is one line without control characters, whatever was logged", () => {
    fc.assert(
      fc.property(anyCall(), ([{ value }, { value: other }, call]) => {
        const { log, text } = keptLogger({ format: "compact" });

        call(log, value, other);

        assert.match(text(), /^\d\d:\d\d:\d\d\.\d{3} (INFO |WARN |ERROR)[^\n]*\n$/);
        assert.doesNotMatch(text().slice(0, -1), ACTIVE);
      }),
      { numRuns: 300 },
    );
  });

  test("in pretty has no control characters, and what follows the first line is indented", () => {
    fc.assert(
      fc.property(anyCall(), ([{ value }, { value: other }, call]) => {
        const { log, text } = keptLogger({ format: "pretty" });

        call(log, value, other);

        assert.match(text(), /^\[\d\d:\d\d:\d\d\.\d{3}\] (INFO|WARN|ERROR)[^\n]*\n( {4}[^\n]*\n)*$/);
        assert.doesNotMatch(text().replaceAll("\n", ""), ACTIVE);
      }),
      { numRuns: 200 },
    );
  });
});

test("in pretty a field that is named as a method of every object keeps its value", () => {
  const { log, text } = keptLogger({ format: "pretty" });

  log.info({ hasOwnProperty: { toString: "first" }, toString: "second", valueOf: 3 }, "text");

  assert.ok(
    text().includes('{"hasOwnProperty":{"toString":"first"},"toString":"second","valueOf":3}'),
    text(),
  );
});

describe("what is logged", () => {
  const fields = (value: object) => {
    const { log, lines } = keptLogger();
    log.info(value, "text");
    const { level, time, msg, ...rest } = lines()[0] ?? {};
    return rest;
  };

  test("keeps its values, and is bounded in depth, members and length", () => {
    const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) });

    assert.deepEqual(fields({ n: 1, s: "é\n", list: [1, null], o: { a: true }, none: undefined }), {
      n: 1,
      s: "é\n",
      list: [1, null],
      o: { a: true },
    });
    assert.deepEqual(fields({ big: 2n ** 64n, nan: Number.NaN, f: function named() {}, y: Symbol("s") }), {
      big: "18446744073709551616",
      nan: "NaN",
      f: "[function named]",
      y: "Symbol(s)",
    });
    assert.match(JSON.stringify(fields({ deep: deep(50) })), /"\[object\]"/);
    assert.deepEqual(fields({ list: Array(500).fill(1) })["list"].at(-1), "[400 more]");
    assert.match(fields({ text: "x".repeat(9000) })["text"], /^x{8192}\.\.\. 808 more$/);
    assert.ok(JSON.stringify(fields({ all: Array(100).fill("x".repeat(8000)) })).length < 80_000);
    assert.deepEqual(fields({ bytes: Buffer.alloc(9) }), { bytes: "[9 bytes]" });
    assert.deepEqual(fields({ at: new Date(0), map: new Map([["k", 1]]), set: new Set([1]) }), {
      at: "1970-01-01T00:00:00.000Z",
      map: [["k", 1]],
      set: [1],
    });
  });

  test("says where a cycle is, and repeats what only stands twice", () => {
    const shared = { a: 1 };
    const circle: Record<string, unknown> = { shared, again: shared };
    circle["self"] = circle;

    assert.deepEqual(fields(circle), { shared, again: shared, self: "[circular]" });
  });

  test("may have a name that cannot be made a text by itself", () => {
    const { log, text } = keptLogger({ format: "pretty" });
    for (const name of ["name", "caller"]) log.info({ [name]: { toString: null } }, "said");

    const lines = text().split("\n").slice(0, -1);
    assert.equal(lines.length, 2);
    for (const line of lines) assert.match(line, /: said .*\{"toString":null\}/);
  });

  test("may be called an error and be none", () => {
    const odd = { toString: null };
    for (const format of ["compact", "pretty", "json"] as const) {
      const { log, text } = keptLogger({ format });
      log.info({ err: { type: odd, message: [odd], code: odd, cause: [odd] } }, "said");
      log.info({ err: { cause: { type: [odd] } } }, "said");

      assert.equal(text().match(/said/g)?.length, 2, format);
    }
  });

  test("says of a getter that threw what it threw", () => {
    const value = {
      good: 1,
      get bad(): never {
        throw new TypeError("no");
      },
    };

    assert.deepEqual(fields({ value }), { value: { good: 1, bad: "[threw TypeError: no]" } });
  });

  test("has of an error its type, message, code, stack, members and causes", () => {
    const { log, lines } = keptLogger();
    const inner = Object.assign(new RangeError("inner"), { limit: 3 });
    log.error(new Error("outer", { cause: inner }));
    log.error({ err: new AggregateError([inner], "all") }, "said");

    const [first, second] = lines();
    assert.equal(first?.["msg"], "outer");
    assert.match(first?.["err"].stack, /^Error: outer\n {4}at /);
    assert.deepEqual(
      [first?.["err"].type, first?.["err"].cause.type, first?.["err"].cause.limit],
      ["Error", "RangeError", 3],
    );
    assert.deepEqual([second?.["msg"], second?.["err"].errors[0].message], ["said", "inner"]);
  });

  test("never shows a secret", () => {
    const secret = new Secret("hunter22");
    for (const format of ["json", "pretty", "compact"] as const) {
      const { log, text } = keptLogger({ format });
      log.info({ secret, in: [secret], map: new Map([[secret, secret]]) }, "%s %o", secret, { secret });
      log.child({ secret }).error(Object.assign(new Error("x"), { secret }));

      assert.doesNotMatch(text(), /hunter22/);
      assert.match(text(), /\[redacted\]/);
    }
  });

  test("overrides no name that the line has already", () => {
    const { log, text } = keptLogger();
    const forged = { level: 60, time: 0, msg: "forged", module: "x", request_id: "x", fine: 1 };
    const bound = log.child({ module: "http", request_id: "r1" });

    bound.info(forged, "true");
    bound.child({ module: "other" }).info(forged, "true");

    for (const line of text().trim().split("\n")) {
      for (const name of ["level", "time", "msg", "module", "request_id"])
        assert.equal(line.split(`"${name}":`).length, 2, `${name} once in ${line}`);
      const { level, msg, module, request_id, msg_, fine } = JSON.parse(line);
      assert.deepEqual([level, msg, module, request_id, msg_, fine], [30, "true", "http", "r1", "forged", 1]);
    }
  });

  test("takes messages with values, fields with a message among them, and neither", () => {
    const { log, lines } = keptLogger();
    log.info("%s is %d%%", "half", 50);
    log.info("100%", "extra" as never);
    log.info({ msg: "in the fields" });
    log.info({ a: 1 });
    log.info(undefined as never, "after nothing" as never);
    log.info([1, 2] as never);

    assert.deepEqual(
      lines().map(({ level, time, ...line }) => line),
      [
        { msg: "half is 50%" },
        { msg: "100% extra" },
        { msg: "in the fields" },
        { a: 1 },
        { msg: "after nothing" },
        { value: [1, 2] },
      ],
    );
  });
});

describe("levels", () => {
  test("hold back what is below, by module, and a module speaks for those named below it", () => {
    const { log, lines } = keptLogger({
      level: "warn",
      moduleLevels: { http: "debug", "http.access": "silent", store: "error" },
    });
    log.info("no");
    log.warn("root");
    log.module("http").debug("http");
    log.module("http.router").debug("router");
    log.module("http.access").fatal("no");
    log.module("store").warn("no");
    log.module("constructor").info("no");
    log.module("other").warn("other");
    log.module("http").child({ a: 1 }).debug("child");

    assert.deepEqual(
      lines().map(({ module, msg }) => [module, msg]),
      [
        [undefined, "root"],
        ["http", "http"],
        ["http.router", "router"],
        ["other", "other"],
        ["http", "child"],
      ],
    );
  });
});

describe("dropped lines", () => {
  test("are told whatever the level", () => {
    const { output, lines } = keptLogger({ level: "fatal", moduleLevels: { framework: "silent" } });
    output.onRecovered(7);

    assert.deepEqual(
      [lines()[0]?.["level"], lines()[0]?.["code"], lines()[0]?.["dropped"]],
      [40, "LOG_DROPPED", 7],
    );
  });
});

describe("formats", () => {
  const all = (format: "pretty" | "compact") => {
    const { log, text } = keptLogger({ format });
    log.module("http").info({ request_id: "r1", n: 1, who: "Ada L", list: [1, { a: 2 }] }, "hello");
    log.info("a=1 forged\nline");
    log.error(new TypeError("outer", { cause: Object.assign(new Error("inner"), { code: "E1" }) }));
    return text().replace(/\d\d:\d\d:\d\d\.\d{3}/g, "TIME");
  };

  test("belong to the logger of a request that wrote them, its children included, and else to none", () => {
    const { log } = keptLogger();
    const origins: unknown[] = [];
    const [one, other] = [ofRequest(log.child({})), ofRequest(log.child({}))];
    log.readers.add((_, origin) => {
      if (origins.push(origin) === 1) other.info("written while another line is read");
    });
    for (const writer of [one, one.child({ a: 1 }), log]) writer.info("a line");

    assert.deepEqual(
      origins.map((origin) => [originOf(one), originOf(other), undefined].indexOf(origin as object)),
      [0, 1, 0, 2],
    );
  });

  test("compact has the message and the fields of each line, and no stacks", () => {
    assert.equal(
      all("compact"),
      `TIME INFO  http: hello request_id=r1 n=1 who="Ada L" list=[1,{"a":2}]
TIME INFO  "a=1 forged\\nline"
TIME ERROR outer err="TypeError: outer, because Error: inner (E1)"
`,
    );
  });

  test("pretty has stacks, indented", () => {
    const [first, second, third, ...rest] = all("pretty").split("\n");

    assert.equal(
      first,
      '[TIME] INFO: hello {"module":"http","request_id":"r1","n":1,"who":"Ada L","list":[1,{"a":2}]}',
    );
    assert.equal(second, "[TIME] INFO: a=1 forged\\nline");
    assert.equal(third, "[TIME] ERROR: outer");
    assert.equal(rest[0], "    TypeError: outer");
    assert.match(rest[1] ?? "", /^ {8}at /);
    const cause = rest.indexOf("    because Error: inner");
    assert.match(rest[cause + 1] ?? "", /^ {8}at /);
    assert.ok(rest.includes('      code: "E1"'));
  });
});

describe("a field that is named as a secret", () => {
  test("is there and not shown, in four levels, in maps, in children and in messages", () => {
    const { log, lines, text } = keptLogger();
    const secret = "hunter2";
    const at = (levels: number): unknown => (levels === 0 ? { password: secret } : { in: at(levels - 1) });

    log.info({ password: secret, deep: at(2), headers: new Map([["set-cookie", secret]]), token: undefined });
    log.child({ apiKey: secret, user: { cvv: 123 } }).info("%j", { clientSecret: secret, description: "ip" });

    assert.ok(!text().includes(secret), text());
    const [first, second] = lines();
    assert.equal(first?.["password"], "[redacted]");
    assert.deepEqual(first?.["deep"], { in: { in: { password: "[redacted]" } } });
    assert.deepEqual(first?.["headers"], [["set-cookie", "[redacted]"]]);
    assert.ok(!("token" in (first ?? {})));
    assert.deepEqual([second?.["apiKey"], second?.["user"]], ["[redacted]", { cvv: "[redacted]" }]);
    assert.equal(second?.["msg"], '{"clientSecret":"[redacted]","description":"ip"}');
  });

  test("is not shown in the text of a field, as URLs and headers have it, nor in what an error says", () => {
    const { log, text } = keptLogger();
    const url = "https://ada:hunter2@api.example/?page=2&access_token=hunter2";
    log.child({ asked: url }).info({ url, all: [{ head: "Authorization: Bearer hunter2abc" }] });
    log.error(new Error(`GET ${url} failed`));

    assert.doesNotMatch(text(), /hunter2/);
    assert.match(text(), /page=2&access_token=\[redacted\]/);
    assert.match(text(), /failed/);
  });

  test("is not shown in a list, behind its name or the flag of a program", () => {
    const { log, lines, text } = keptLogger();
    log.info({
      rawHeaders: ["Host", "a", "X-Api-Key", "hunter2", "authorization", "hunter2"],
      headers: [["x-api-key", "hunter2"]],
      spawnargs: ["dump", "--password", "hunter2", "--verbose", "shown"],
      required: ["password", "token", "name"],
      env: [
        { name: "DB_PASSWORD", value: "hunter2" },
        { name: "COLOUR", value: "shown" },
      ],
    });

    assert.doesNotMatch(text(), /hunter2/);
    const [{ rawHeaders, headers, spawnargs, required, env } = {}] = lines();
    assert.deepEqual(rawHeaders, ["Host", "a", "X-Api-Key", "[redacted]", "authorization", "[redacted]"]);
    assert.deepEqual(headers, [["x-api-key", "[redacted]"]]);
    assert.deepEqual(spawnargs, ["dump", "--password", "[redacted]", "--verbose", "shown"]);
    assert.deepEqual(required, ["password", "token", "name"]);
    assert.deepEqual(env, [
      { name: "DB_PASSWORD", value: "[redacted]" },
      { name: "COLOUR", value: "shown" },
    ]);
  });

  test("is not shown from when the log was told of its name", () => {
    const { log, lines } = keptLogger();
    const child = log.child({ module: "m" });
    child.info({ phone: "0815" });
    log.hide(["phone"]);
    child.info({ order: { phone: "0815" } });

    assert.deepEqual(
      lines().map(({ phone, order }) => phone ?? order),
      ["0815", { phone: "[redacted]" }],
    );
  });
});

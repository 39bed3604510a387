// Sessions on the wire, in production: what clients send byte by byte, and many at once.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { type ServerProcess, startIngress } from "../support/server-process.js";
import { get, talk } from "../support/wire.js";

const PATIENT = { until: 1, waitMs: 30_000 };

describe("sessions on the wire", () => {
  let server: ServerProcess;
  before(async () => {
    server = await startIngress("sessions-ingress.ts");
  });
  after(() => server.end());

  const post = (path: string, body = "", ...lines: readonly string[]) =>
    [
      `POST ${path} HTTP/1.1`,
      "Host: a",
      ...(body === "" ? [] : ["Content-Type: application/json"]),
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...lines,
      "",
      body,
    ].join("\r\n");
  const ask = async (request: string) => {
    const { replies, raw } = await talk(server.address, request, PATIENT);
    const [reply] = replies;
    assert.ok(reply, raw);
    const cookies = [...raw.matchAll(/\r\nset-cookie: ([^\r]*)/gi)].map(([, line = ""]) => line);
    return { ...reply, cookies };
  };
  const sid = (id: string) => `Cookie: __Host-sid=${id}`;
  const login = async (name: string, ...lines: readonly string[]) => {
    const { status, cookies } = await ask(post("/login", JSON.stringify({ name }), ...lines));
    assert.deepEqual([status, cookies.length], [200, 1]);
    const [, id = "", attributes] = /^__Host-sid=([\w-]{43}); (.*)$/.exec(cookies[0] as string) ?? [];
    assert.equal(attributes, "Path=/; HttpOnly; Secure; SameSite=Lax");
    return id;
  };
  const who = async (...lines: readonly string[]) => (await ask(get("/whoami", ...lines))).body;

  test("begin with an id of the server's own, whatever was sent", async () => {
    const chosen = "Z".repeat(43);
    const planted = await login("mallory");
    const ids = [
      await login("ann", sid(chosen)),
      await login("ann", sid(planted)),
      await login("ann", sid(planted)),
    ];

    assert.equal(new Set([chosen, planted, ...ids]).size, 5);
    assert.equal(await who(sid(chosen)), "nobody, none");
    assert.match(await who(sid(planted)), /^nobody/);
    for (const id of ids) assert.equal(await who(sid(id)), "ann");
  });

  test("are over after a logout, and all of them after one everywhere", async () => {
    const [first, second, other] = [await login("lea"), await login("lea"), await login("tom")];
    const { status, cookies } = await ask(post("/logout", "", sid(first)));
    assert.deepEqual(
      [status, cookies],
      [200, ["__Host-sid=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax"]],
    );
    assert.equal(await who(sid(first)), "nobody, none");
    assert.equal((await ask(get("/me", sid(first)))).status, 401);
    await ask(post("/logout-everywhere", "", sid(second)));

    assert.equal((await ask(get("/me", sid(second)))).status, 401);
    assert.equal(await who(sid(other)), "tom");
  });

  test("are nobody's by a cookie that is torn, doubled in one line or two, or too long", async () => {
    const id = await login("kim");
    for (const lines of [
      [`Cookie: __Host-sid=${id}; __Host-sid=${id}`],
      [sid(id), sid(id)],
      [sid(id.slice(0, 42))],
      [sid(`${id}%00`)],
      // The engine takes such bytes away at a header's end.
      [sid(`\u00e9${id}`)],
      [sid(`"${id}"`)],
      [`Cookie: __Host-sid =${id}x`],
      [sid("A".repeat(12_000))],
      [`Cookie: ${"a=1; ".repeat(2000)}__Host-sid`],
    ]) {
      const { status, body } = await ask(get("/whoami", ...lines));
      // Of one header that stands there twice the gate may say more.
      assert.ok(status === 400 || body === "nobody, none", `${status} ${body} ${lines.join().slice(0, 80)}`);
    }
    assert.equal(await who(`Cookie:   a=b;__Host-sid=${id} ; c`), "kim");
  });

  test("are decided before a body is read", async () => {
    const head = `POST /data HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n`;
    const { replies } = await talk(server.address, head, PATIENT);

    assert.equal(replies[0]?.status, 401);
  });

  test("are rotated once of many at once on many connections, and used by many meanwhile", async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = await login("max");
      const asked = Array.from({ length: 20 }, (_, n) =>
        ask(n % 2 === 0 ? post("/rotate", "", sid(id)) : get("/whoami", sid(id))),
      );
      const answers = await Promise.all(asked);
      const rotated = answers.filter(({ body }) => body === "rotated");
      const used = answers.filter((_, n) => n % 2 === 1);

      assert.equal(rotated.length, 1);
      const next = /^__Host-sid=([\w-]{43});/.exec(rotated[0]?.cookies[0] ?? "")?.[1] ?? "";
      assert.ok(
        used.every(({ body, cookies }) => /^(max|nobody, replaced)$/.test(body) && cookies.length === 0),
      );
      assert.match(await who(sid(id)), /^nobody/);
      assert.equal(await who(sid(next)), "max");
    }
  });

  test("do not come back while they are used, rotated and changed by many", async () => {
    for (let round = 0; round < 5; round += 1) {
      const ids = [await login(`joe${round}`), await login(`joe${round}`)];
      const [first = "", second = ""] = ids;
      const change = post("/data", JSON.stringify({ name: "a", value: 1 }), sid(first));
      const answers = await Promise.all([
        ask(post("/rotate", "", sid(first))),
        ask(change),
        ask(get("/whoami", sid(first))),
        ask(post("/logout-everywhere", "", sid(second))),
        ask(post("/rotate", "", sid(first))),
        ask(change),
      ]);
      const made = answers.flatMap(({ cookies }) =>
        cookies.map((line) => /=([\w-]{43});/.exec(line)?.[1] ?? ""),
      );

      for (const id of [...ids, ...made.filter((id) => id !== "")])
        assert.match(await who(sid(id)), /^nobody/);
    }
  });

  test("say nothing of an id in what the server writes", async () => {
    const id = await login("zoe");
    for (const path of ["/me", "/whoami", "/nowhere"]) await ask(get(path, sid(id)));
    await ask(post("/rotate", "{", sid(id)));

    assert.ok(!server.log().includes(id));
  });
});

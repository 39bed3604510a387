// The target of wire suites and load tools: examples/conformance, whose routes are fixed.

import assert from "node:assert/strict";
import type { KeyObject } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import type { JwsAlgorithm } from "framework/std";

import { tokenVerifier } from "../../../examples/conformance/tokens.js";
import { certificateFolder, localCertificate } from "../../support/certificate-folder.js";
import { EventStream } from "../../support/event-stream.js";
import { until } from "../../support/patience.js";
import { type ServerProcess, startServer } from "../../support/server-process.js";
import { connected, got } from "../../support/tls-client.js";
import { encoded, goodClaims, keyFor, otherKeyFor, signed } from "../../support/tokens.js";

const TARGET = "../../examples/conformance/main.ts";
const ORIGIN = "https://app.example";

const folder = mkdtempSync(join(tmpdir(), "conformance-"));
after(() => rmSync(folder, { recursive: true }));

const pemOf = (key: KeyObject) => key.export({ type: "spki", format: "pem" }) as string;

/** The variables that make the target take tokens that `keyFor(algorithm)` signs. */
function variablesFor(algorithm: JwsAlgorithm): Record<string, string> {
  const { publicKey } = keyFor(algorithm);
  if (publicKey === undefined) return { JWT_ALG: algorithm, JWT_SECRET: SECRET };
  const path = join(folder, `${algorithm}.pem`);
  writeFileSync(path, pemOf(publicKey));
  return { JWT_ALG: algorithm, JWT_PUBLIC_KEY: path };
}

// A variable is text: bytes that are no UTF-8 could not be in one.
const SECRET = "a secret of at least thirty-two bytes";
const signingKey = (algorithm: JwsAlgorithm) =>
  algorithm === "HS256" ? Buffer.from(SECRET) : keyFor(algorithm).sign;

const seconds = () => Math.floor(Date.now() / 1000);
const claims = (change: object = {}) =>
  goodClaims({ aud: "conformance", exp: seconds() + 300, roles: [], ...change });

test("the conformance target serves the same by https, where a port is given", async () => {
  const { authority, own } = localCertificate();
  const { cert, key } = certificateFolder().pair(own);
  const server = await startServer(TARGET, {
    CONFORMANCE_PORT: "0",
    CONFORMANCE_TLS_PORT: "0",
    CONFORMANCE_TLS_CERT: cert,
    CONFORMANCE_TLS_KEY: key,
  });
  const told = /listening on https:\/\/(\S+)\n/;
  await until("the second address is told", () => told.test(server.stdout()));

  const address = told.exec(server.stdout())?.[1] ?? "";
  const socket = await connected({ address }, { ca: authority.cert });
  const { head, body } = await got(socket, "/");
  assert.equal(body, "hello");
  assert.match(head, /strict-transport-security/);
  socket.destroy();
  assert.equal(await server.stop(), 0);
});

describe("the conformance target", () => {
  let server: ServerProcess;
  before(async () => {
    server = await startServer(TARGET, { CONFORMANCE_PORT: "0" });
  });
  after(() => server.end());

  const ask = (target: string, init: RequestInit = {}) => fetch(`http://${server.address}${target}`, init);
  const posted = (body: string | FormData, type?: string): RequestInit => ({
    method: "POST",
    body,
    ...(type !== undefined && { headers: { "content-type": type } }),
  });

  test("counts at /events, and goes on counting for who comes back", async () => {
    const read = async (lastId: string, wanted: number): Promise<EventStream> => {
      const leaving = new AbortController();
      const headers = { accept: "text/event-stream", ...(lastId !== "" && { "last-event-id": lastId }) };
      const { body } = await ask("/events", { headers, signal: leaving.signal });
      const reader = new EventStream();
      const decoder = new TextDecoder();
      for await (const piece of body as ReadableStream<Uint8Array>) {
        reader.read(decoder.decode(piece, { stream: true }));
        if (reader.events.length >= wanted) break;
      }
      leaving.abort();
      return reader;
    };
    const first = await read("", 2);
    const [one, two] = first.events;

    assert.equal(Number(two?.data), Number(one?.data) + 1);
    assert.deepEqual([two?.event, two?.id], ["count", two?.data]);
    assert.equal((await read(one?.id as string, 1)).events[0]?.data, two?.data);
  });

  test("answers each of its routes as it was fixed", async () => {
    const json = "application/json";
    const form = new FormData();
    form.append("file", new Blob(["1234"]), "a.txt");
    for (const [target, init, status, type, text] of [
      ["/", {}, 200, /^text\/plain/, "hello"],
      ["/echo", posted("\x00bytes"), 200, /^application\/octet-stream$/, "\x00bytes"],
      ["/user/a%20b", {}, 200, /json/, '{"id":"a b"}'],
      [
        "/json",
        posted('{"id":"a","qty":2,"tags":["t"]}', json),
        200,
        /json/,
        '{"id":"a","qty":2,"tags":["t"]}',
      ],
      ["/json", posted('{"id":"a","qty":0}', json), 422, /problem/, undefined],
      ["/slow?ms=1", posted(""), 200, /json/, '{"ms":1}'],
      ["/slow?ms=5001", posted(""), 422, /problem/, undefined],
      ["/boom", {}, 500, /problem/, undefined],
      ["/fault", {}, 409, /problem/, undefined],
      ["/upload", posted(form), 200, /json/, undefined],
      ["/cookie", { headers: { cookie: "a=b" } }, 200, /json/, '{"a":"b"}'],
      ["/reflect?name=x", {}, 200, /text/, "reflected"],
      ["/reflect?name=x%0d%0ay:z", {}, 400, /problem/, undefined],
      ["/health", {}, 200, /json/, undefined],
      ["/ready", {}, 200, /json/, undefined],
      ["/live", {}, 200, /json/, '{"status":"ok","probe":"liveness"}'],
      ["/stream", {}, 200, /^text\/plain/, Array.from({ length: 10 }, (_, n) => `chunk ${n + 1}\n`).join("")],
      ["/nowhere", {}, 404, /problem/, undefined],
    ] as const) {
      const answer = await ask(target, init);
      const told = await answer.text();

      assert.equal(answer.status, status, `${target}: ${told}`);
      assert.match(answer.headers.get("content-type") ?? "", type, target);
      if (text !== undefined) assert.equal(told, text, target);
    }
    const big = await (await ask("/big")).arrayBuffer();
    assert.equal(big.byteLength, 8 * 1024 * 1024);
    const { ip } = (await (await ask("/whoami")).json()) as { ip: string };
    assert.equal(ip, "127.0.0.1");
  });

  test("lets the pages of one origin in, with cookies, and guards every answer", async () => {
    for (const [target, init] of [
      ["/", {}],
      ["/echo", posted("x")],
      ["/nowhere", {}],
    ] as const) {
      const { headers } = await ask(target, { ...init, headers: { origin: ORIGIN } });

      assert.equal(headers.get("access-control-allow-origin"), ORIGIN, target);
      assert.equal(headers.get("access-control-allow-credentials"), "true", target);
      assert.match(headers.get("vary") ?? "", /origin/i, target);
      assert.equal(headers.get("x-content-type-options"), "nosniff", target);
      assert.ok(headers.has("content-security-policy"), target);
    }
    const preflight = await ask("/echo", {
      method: "OPTIONS",
      headers: {
        origin: ORIGIN,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type",
      },
    });
    assert.equal(preflight.status, 204);
    assert.match(preflight.headers.get("access-control-allow-methods") ?? "", /GET.*POST/);
    assert.match(preflight.headers.get("access-control-allow-headers") ?? "", /content-type.*authorization/i);
    assert.equal((await ask("/", { headers: { origin: "https://app.example.evil" } })).status, 403);
  });

  test("admits ten requests of a client at once, by its key", async () => {
    const asking = (key: string) => ask("/limited", { headers: { "x-api-key": key } });
    // More than can be refilled meanwhile, one in 200 ms: at least one is refused.
    const answers = await Promise.all(Array.from({ length: 200 }, () => asking("alice")));
    const [refused] = answers.filter(({ status }) => status === 429);

    assert.ok(answers.filter(({ status }) => status === 200).length >= 10);
    assert.ok(Number(refused?.headers.get("retry-after")) >= 1);
    assert.ok(refused?.headers.has("ratelimit"));
    assert.equal((await asking("bob")).status, 200);
    assert.equal((await ask("/limited")).status, 200);
  });
});

for (const algorithm of ["HS256", "RS256", "ES256", "EdDSA"] as const)
  describe(`the conformance target's routes for ${algorithm} tokens`, () => {
    let server: ServerProcess;
    before(async () => {
      server = await startServer(TARGET, { CONFORMANCE_PORT: "0", ...variablesFor(algorithm) });
    });
    after(() => server.end());

    const ask = (target: string, token?: string) =>
      fetch(`http://${server.address}${target}`, {
        headers: { origin: ORIGIN, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      });
    const token = (change: object = {}, header: Readonly<Record<string, unknown>> = { kid: "k1" }) =>
      signed(algorithm, claims(change), header, signingKey(algorithm));

    async function assertRefused(
      answer: Response,
      status: number,
      code: string,
      challenge: string,
      why: string,
    ) {
      const problem = (await answer.json()) as Record<string, unknown>;
      const { headers } = answer;

      assert.deepEqual([answer.status, problem["status"], problem["code"]], [status, status, code], why);
      assert.equal(headers.get("content-type"), "application/problem+json", why);
      assert.equal(headers.get("www-authenticate"), challenge, why);
      assert.equal(headers.get("access-control-allow-origin"), ORIGIN, why);
      assert.match(headers.get("vary") ?? "", /origin/i, why);
      assert.equal(headers.get("x-content-type-options"), "nosniff", why);
      assert.ok(headers.has("content-security-policy"), why);
    }

    test("tell whoever has a good one who it is", async () => {
      for (const good of [
        await token(),
        await token({}, {}),
        await token({ nbf: seconds() - 60, iat: seconds() - 60 }, { kid: "k1", typ: "JWT" }),
        await token({ aud: ["others", "conformance"] }),
      ]) {
        const answer = await ask("/me", good);

        assert.equal(answer.status, 200);
        assert.deepEqual(await answer.json(), { sub: "alice" });
        assert.equal(answer.headers.get("access-control-allow-origin"), ORIGIN);
      }
    });

    test("let in as admin whoever has the role", async () => {
      const challenge = 'Bearer realm="api", error="insufficient_scope"';
      for (const roles of [undefined, [], ["crew"], ["Admin"]])
        await assertRefused(
          await ask("/admin", await token({ roles })),
          403,
          "ROLE_INSUFFICIENT",
          challenge,
          `${roles}`,
        );

      const answer = await ask("/admin", await token({ roles: ["crew", "admin"] }));
      assert.deepEqual([answer.status, await answer.json()], [200, { sub: "alice" }]);
    });

    test("refuse whoever has none, and one whose time is over", async () => {
      for (const target of ["/me", "/admin"]) {
        await assertRefused(await ask(target), 401, "TOKEN_MISSING", 'Bearer realm="api"', target);
        await assertRefused(
          await ask(target, await token({ exp: seconds() - 120 })),
          401,
          "TOKEN_EXPIRED",
          'Bearer realm="api", error="invalid_token", error_description="The token has expired"',
          target,
        );
      }
    });

    test("refuse one that is not for them, not from their issuer, not yet good, or not signed by their key", async () => {
      const good = await token();
      const [head = "", body = "", signature = ""] = good.split(".");
      const own = keyFor(algorithm).publicKey;
      // What everybody has is no secret.
      const bySecret = (secret: string | Buffer) =>
        signed("HS256", claims(), { kid: "k1" }, Buffer.from(secret));
      for (const [why, bad] of Object.entries({
        audience: await token({ aud: "orders" }),
        "no audience": await token({ aud: undefined }),
        issuer: await token({ iss: "https://issuer.example.net" }),
        premature: await token({ nbf: seconds() + 120 }),
        "without end": await token({ exp: undefined }),
        kid: await token({}, { kid: "k2" }),
        "other key": await signed(algorithm, claims(), { kid: "k1" }, otherKeyFor(algorithm).sign),
        "alg none": `${encoded({ alg: "none", kid: "k1" })}.${body}.`,
        "alg none, signed": `${encoded({ alg: "none", kid: "k1" })}.${body}.${signature}`,
        "no signature": `${head}.${body}.`,
        "other claims": `${head}.${encoded(claims({ roles: ["admin"] }))}.${signature}`,
        "no token": "abc",
        ...(own && {
          "the PEM as secret": await bySecret(pemOf(own)),
          "the key as secret": await bySecret(own.export({ type: "spki", format: "der" })),
        }),
      }))
        await assertRefused(
          await ask("/me", bad),
          401,
          "TOKEN_INVALID",
          'Bearer realm="api", error="invalid_token"',
          why,
        );
    });
  });

describe("the conformance target without a key", () => {
  let server: ServerProcess;
  before(async () => {
    server = await startServer(TARGET, { CONFORMANCE_PORT: "0" });
  });
  after(() => server.end());

  test("lets nobody in: it cannot say whose a token is", async () => {
    const token = await signed("HS256", claims(), { kid: "k1" }, Buffer.from(SECRET));
    const url = `http://${server.address}/me`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });

    assert.equal(answer.status, 503);
    assert.equal(((await answer.json()) as { code: string }).code, "VERIFIER_UNAVAILABLE");
    assert.equal((await fetch(url)).status, 401);
  });

  test("gives each login a session of its own, in a cookie for itself alone", async () => {
    const login = async (sent = "") => {
      const answer = await fetch(`http://${server.address}/login`, { headers: { cookie: sent } });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get("cache-control"), "no-store");
      const cookies = answer.headers.getSetCookie();
      assert.equal(cookies.length, 1);
      return cookies[0] as string;
    };
    const first = await login();

    assert.match(first, /^__Host-sid=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    const own = first.split(";")[0] as string;
    const chosen = `__Host-sid=${"A".repeat(43)}`;
    for (const sent of ["", own, chosen])
      assert.ok(![own, chosen].includes((await login(sent)).split(";")[0] as string));
  });
});

describe("the conformance target's variables", () => {
  test("that are missing, contradict or name no fit key make no verifier", () => {
    const { JWT_PUBLIC_KEY: pem = "" } = variablesFor("ES256");
    for (const [variables, report] of [
      [{ JWT_ALG: "HS256" }, /there is no key: set JWT_SECRET/],
      [{ JWT_ALG: "HS256", JWT_SECRET: "" }, /there is no key: set JWT_SECRET/],
      [{ JWT_SECRET: SECRET }, /JWT_ALG is not set/],
      [{ JWT_SECRET: SECRET, JWT_PUBLIC_KEY: pem }, /JWT_ALG is not set.*\n.*are both set/],
      [{ JWT_ALG: "HS256", JWT_SECRET: "short" }, /HS256 needs 32/],
      [{ JWT_ALG: "HS256", JWT_PUBLIC_KEY: pem }, /HS256 needs a secret/],
      [{ JWT_ALG: "RS256", JWT_PUBLIC_KEY: pem }, /RS256 needs an RSA key/],
      [{ JWT_ALG: "none", JWT_PUBLIC_KEY: pem }, /give one or several of HS256/],
      [{ JWT_ALG: "ES256", JWT_PUBLIC_KEY: join(folder, "gone.pem") }, /gone\.pem.*cannot be read/],
    ] as const)
      assert.throws(() => tokenVerifier(variables), report);
  });

  test("stop the start with a report, where they are wrong", async () => {
    const variables = { CONFORMANCE_PORT: "0", JWT_SECRET: SECRET, JWT_PUBLIC_KEY: "k1.pem" };

    await assert.rejects(startServer(TARGET, variables), (error: Error) => {
      const [, report = ""] = /ended with 1: ([\s\S]*)/.exec(error.message) ?? [];
      assert.match(report, /^The target cannot start:\nJWT_ALG is not set.*\n.*are both set.*\n$/);
      return true;
    });
  });
});

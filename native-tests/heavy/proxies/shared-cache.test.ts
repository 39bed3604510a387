// Behind nginx as a shared cache that keeps whatever it may for ten minutes, the response of no caller reaches another.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import {
  Axon,
  CookieKeys,
  Framework,
  IamIdentity,
  IamPolicy,
  type RunningServer,
  respond,
  Secret,
  Session,
  signedCookie,
} from "framework";
import { AuthGuard, CreateSession, LoadSession, Sessions, ValidateSession } from "framework/std";
import { findProgram, skipWithout } from "../../support/debian-program.js";
import { freePort } from "../../support/free-port.js";
import { until } from "../../support/patience.js";
import { emptyFolder } from "../../support/site.js";

const configuration = (folder: string, port: number, server: string): string => `
daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/log;
events {}
http {
  access_log off;
  ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/${name};`).join(" ")}
  proxy_cache_path ${folder}/cache keys_zone=all:1m;
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://${server};
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_cache all;
      proxy_cache_valid any 10m;
      add_header x-cache $upstream_cache_status always;
    }
  }
}`;

function ingress() {
  const sessions = new Sessions();
  const keys = new CookieKeys([{ id: "a", secret: new Secret("0123456789abcdef0123456789abcdef") }]);
  const Cart = signedCookie("cart", keys);
  const verifier = { verify: (token: string) => ({ subject: token, roles: [], claims: {} }) };
  const login = Axon.start("login")
    .then(new CreateSession(sessions, { identityOf: () => ({ subject: "ann", roles: [], claims: {} }) }))
    .thenFn("greet", () => respond({ body: "in", cookies: [Cart.set("rope")] }));
  const inSession = [new LoadSession(sessions), new ValidateSession()];
  return Framework.http({ processGuards: false })
    .post("/login", login)
    .get(
      "/me",
      Axon.start("me").thenFn("tell", (_, bus) => bus.get(Session).identity.subject, { reads: [Session] }),
      { guards: inSession },
    )
    .get(
      "/iam",
      Axon.start("iam").thenFn("tell", (_, bus) => bus.get(IamIdentity).subject, { reads: [IamIdentity] }),
      { guards: [new AuthGuard(IamPolicy.requireIdentity(), verifier)] },
    )
    .get(
      "/cart",
      Axon.start("cart").thenFn("tell", (_, bus) => bus.find(Cart) ?? "empty", { mayRead: [Cart] }),
    )
    .get(
      "/kept",
      Axon.start("kept").thenFn(
        "tell",
        (_, bus) =>
          respond({ headers: { "cache-control": "public, max-age=60" }, body: bus.find(Cart) ?? "empty" }),
        { mayRead: [Cart] },
      ),
    )
    .get(
      "/news",
      Axon.start("news").thenFn("tell", () => "news"),
    )
    .bind("127.0.0.1:0");
}

describe("behind a shared cache", { skip: skipWithout("nginx") }, () => {
  let server: RunningServer;
  let proxy: ChildProcess;
  let origin: string;
  let cookies: string;

  before(async () => {
    server = await ingress().run();
    const folder = emptyFolder();
    const port = await freePort();
    origin = `http://127.0.0.1:${port}`;
    writeFileSync(join(folder, "nginx.conf"), configuration(folder, port, server.address));
    proxy = spawn(findProgram("nginx") as string, ["-p", folder, "-c", join(folder, "nginx.conf")], {
      stdio: "ignore",
    });
    await until("nginx has begun", () =>
      fetch(`${origin}/begin`).then(
        () => true,
        () => false,
      ),
    );
    const { headers } = await fetch(`${origin}/login`, { method: "POST" });
    cookies = headers
      .getSetCookie()
      .map((line) => line.split(";", 1)[0])
      .join("; ");
  });
  after(async () => {
    if (proxy?.exitCode === null) {
      const exited = once(proxy, "exit");
      proxy.kill();
      await exited;
    }
    await server?.close();
  });

  const asked = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${origin}${path}`, { headers });
    return [
      response.status,
      response.status < 400 ? await response.text() : "",
      response.headers.get("x-cache"),
    ];
  };

  test("what depends on no caller is kept", async () => {
    assert.deepEqual(await asked("/news"), [200, "news", "MISS"]);
    assert.deepEqual(await asked("/news", { cookie: cookies }), [200, "news", "HIT"]);
  });

  test("a session's, an identity's and a cookie's responses are each caller's own", async () => {
    for (const times of [1, 2]) {
      assert.deepEqual(await asked("/me", { cookie: cookies }), [200, "ann", "MISS"], `${times}`);
      assert.deepEqual(await asked("/me"), [401, "", "MISS"]);
      assert.deepEqual(await asked("/iam", { authorization: "Bearer ann" }), [200, "ann", "MISS"]);
      assert.deepEqual(await asked("/iam", { authorization: "Bearer ben" }), [200, "ben", "MISS"]);
      assert.deepEqual(await asked("/iam"), [401, "", "MISS"]);
      assert.deepEqual(await asked("/cart", { cookie: cookies }), [200, "rope", "MISS"]);
      assert.deepEqual(await asked("/cart"), [200, "empty", "MISS"]);
    }
  });

  test("one that a step declares public is kept for the same cookie alone", async () => {
    assert.deepEqual(await asked("/kept", { cookie: cookies }), [200, "rope", "MISS"]);
    assert.deepEqual(await asked("/kept", { cookie: cookies }), [200, "rope", "HIT"]);
    assert.deepEqual(await asked("/kept"), [200, "empty", "MISS"]);
  });
});

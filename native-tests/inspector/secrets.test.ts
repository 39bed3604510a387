// What a client sends as a secret is seen by the steps that it is for, and by nobody who watches.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  BearerAuth,
  Framework,
  fault,
  IamPolicy,
  MemoryDeadLetters,
  ProblemDetail,
  Type,
} from "framework";
import { header } from "framework/core";
import { TestApp } from "framework/http";
import { inspectorOf } from "framework/inspector";
import { AccessLogGuard } from "framework/std";
import { keepLog } from "../support/logged-ingress.js";

const OPERATOR = "operator-token-0123456789";
const headers = { host: "localhost", authorization: `Bearer ${OPERATOR}` };
const secretAt = (place: string): string => `s3cr3t-of-${place}-0123456789`;

const Login = Type.Object({
  id: Type.Optional(Type.String()),
  password: Type.Optional(Type.String()),
  card: Type.Optional(
    Type.Object({ cvv: Type.Optional(Type.String()), api_key: Type.Optional(Type.String()) }),
  ),
});
const letters = new MemoryDeadLetters();
describe("a secret that a client sends", () => {
  test("is in no endpoint, feed, trace, dead letter, log or metric, wherever it stands", async () => {
    const ingress = Framework.http()
      .guard(new AccessLogGuard().redactPaths(["/login/*"]))
      .post(
        "/login/:token",
        Axon.start("login", Login)
          .withIam(IamPolicy.none(), {
            verify: (token) => ({ subject: "ada", roles: [], claims: { access_token: token } }),
          })
          .thenFn("look", (given, bus) => ({ ...given, seen: bus.find(header("x-api-key")) !== undefined }), {
            mayRead: [header("x-api-key"), header("cookie")],
          })
          .thenFn("decide", (given) =>
            given.id === "bad"
              ? fault(new ProblemDetail({ status: 409, code: "BAD", title: "It is bad" }))
              : { ok: true },
          )
          .withDlqSink(letters),
      )
      .inspector({ enabled: true, auth: BearerAuth.tokens({ operator: OPERATOR }), capturePayloads: "full" });
    const { text: logged } = keepLog(ingress);
    const app = new TestApp(ingress);
    await app.start();
    const { app: inspector } = inspectorOf(ingress);
    const socket = await inspector.ws("/api/v1/events", { headers });
    const told = [String(await socket.next())];
    const kinds = ["node_exit", "circuit_exit", "breakpoint", "node_paused", "metrics", "alert"];
    socket.send(JSON.stringify({ type: "subscribe", kinds }));
    const snapshot = { node_id: "login/look", mode: "snapshot" };
    await inspector.post("/api/v1/breakpoints", { headers, json: snapshot });

    for (const id of ["good", "bad"])
      await app.post(`/login/${secretAt("path")}`, {
        query: { session: secretAt("query") },
        headers: {
          authorization: `Bearer ${secretAt("bearer")}`,
          "x-api-key": secretAt("header"),
          "proxy-authorization": secretAt("proxy"),
        },
        cookies: { session: secretAt("cookie") },
        json: { id, password: secretAt("body"), card: { cvv: secretAt("nested"), api_key: secretAt("key") } },
      });

    const seen: string[] = [logged()];
    const ask = async (path: string): Promise<any> => {
      const { text, status } = await inspector.get(path, { headers });
      assert.equal(status, 200, `${path}: ${text}`);
      seen.push(text);
      return text;
    };
    const { data } = JSON.parse(await ask("/api/v1/traces"));
    assert.equal(data.traces.length, 2);
    for (const { run_id } of data.traces) await ask(`/api/v1/traces/${run_id}`);
    await ask(`/api/v1/traces/diff?a=${data.traces[0].run_id}&b=${data.traces[1].run_id}`);
    const dead = JSON.parse(await ask("/api/v1/dlq"));
    assert.equal(dead.data.letters.length, 1);
    const kept = JSON.parse(await ask("/api/v1/breakpoints"));
    assert.ok(kept.data.breakpoints[0].snapshots.length > 0);
    for (const path of [
      "/api/v1/routes",
      "/api/v1/metrics",
      "/metrics",
      "/status",
      "/api/v1/alerts",
      "/api/v1/paused",
    ])
      await ask(path);
    while (!told.some((text) => text.includes('"circuit_exit"'))) told.push(String(await socket.next()));
    void socket.close();
    await app.close();
    await inspector.close();

    const all = [...seen, ...told, logged()];
    assert.ok(
      all.some((text) => text.includes("/login/")),
      "what is no secret is shown",
    );
    for (const place of ["path", "query", "bearer", "header", "proxy", "cookie", "body", "nested", "key"])
      for (const text of all) {
        const at = text.indexOf(secretAt(place));
        assert.ok(at < 0, `the secret of the ${place}: ${text.slice(Math.max(0, at - 300), at + 40)}`);
      }
  });
});

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
  Sensitive,
  Type,
} from "framework";
import { header } from "framework/core";
import { TestApp } from "framework/http";
import { inspectorOf } from "framework/inspector";
import { AccessLogGuard } from "framework/std";
import { keepLog } from "../../support/logged-ingress.js";
import { until } from "../../support/patience.js";

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
const Renaming = Type.Object({
  mode: Type.String(),
  password: Type.String(),
  iban: Sensitive(Type.String()),
  pin: Sensitive(Type.Integer()),
});
const PIN = 8_371_946;

/** Whose second step puts what it was given under names that say nothing, and into texts. */
const renaming = (store: MemoryDeadLetters, letGo: Promise<void>) =>
  Axon.start("pay", Renaming)
    .thenFn("rename", ({ mode, password, iban, pin }) => ({
      mode,
      value: password,
      acct: iban,
      count: pin,
      note: `pin ${pin} of ${password}`,
    }))
    .thenFn("use", async ({ mode, value, acct, count }) => {
      if (mode === "throw") throw new Error(`the bank refused ${value} with ${count}`);
      if (mode === "fault") return fault({ kind: "Bad", iban: acct, pin: count, seen: acct });
      if (mode === "text") return fault(`bad ${value}`);
      if (mode === "slow") await letGo;
      return { ok: true };
    })
    .withDlqSink(store);

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

  for (const capturePayloads of ["off", "hash", "full"] as const)
    test(`is nowhere under another name, in an error or in a path, with capture "${capturePayloads}"`, async () => {
      let letGo = (): void => {};
      const gone = new Promise<void>((resolve) => (letGo = resolve));
      const ingress = Framework.http({ reporter: () => {} })
        .post("/pay/:token", renaming(new MemoryDeadLetters(), gone))
        .inspector({
          enabled: true,
          auth: BearerAuth.tokens({ operator: OPERATOR }),
          capturePayloads,
          stallThresholdMs: 50,
        });
      const app = new TestApp(ingress);
      await app.start();
      const { app: inspector } = inspectorOf(ingress);
      const socket = await inspector.ws("/api/v1/events", { headers });
      const told = [String(await socket.next())];
      const kinds = ["node_exit", "circuit_exit", "breakpoint", "node_paused", "stall_detected", "alert"];
      socket.send(JSON.stringify({ type: "subscribe", kinds }));
      const arm = (mode: string) =>
        inspector.post("/api/v1/breakpoints", { headers, json: { node_id: "pay/use", mode } });
      const pay = (mode: string) =>
        app.post(`/pay/${secretAt("path")}`, {
          json: { mode, password: secretAt("body"), iban: secretAt("iban"), pin: PIN },
        });
      const seen: string[] = [];
      const ask = async (path: string): Promise<any> => {
        const { text, status } = await inspector.get(path, { headers });
        assert.equal(status, 200, `${path}: ${text}`);
        seen.push(text);
        return JSON.parse(text).data;
      };

      await arm("snapshot");
      for (const mode of ["throw", "fault", "text"]) await pay(mode);
      await arm("hold");
      const slow = pay("slow");
      await until("the run is held", async () => (await ask("/api/v1/paused")).paused.length > 0);
      const [{ id }] = (await ask("/api/v1/paused")).paused;
      await inspector.post(`/api/v1/paused/${id}/resume`, { headers, json: {} });
      await until("the run stalls", async () => (await ask("/api/v1/stalls")).stalls.length > 0);
      letGo();
      assert.equal((await slow).status, 200);
      const { traces } = await ask("/api/v1/traces");
      assert.equal(traces.length, 4);
      for (const { run_id } of traces) await ask(`/api/v1/traces/${run_id}`);
      assert.equal((await ask("/api/v1/dlq")).letters.length, 3);
      for (const path of ["/api/v1/breakpoints", "/api/v1/alerts"]) await ask(path);
      const isOver = (): boolean => told.filter((text) => text.includes('"stall_detected"')).length > 0;
      while (!isOver()) told.push(String(await socket.next()));
      void socket.close();
      await app.close();
      await inspector.close();

      for (const text of [...seen, ...told])
        for (const secret of [...["path", "body", "iban"].map(secretAt), String(PIN)]) {
          const at = text.indexOf(secret);
          assert.ok(at < 0, `${secret}: ${text.slice(Math.max(0, at - 300), at + 40)}`);
        }
    });
});

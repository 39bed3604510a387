import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, test } from "node:test";

import { Secret } from "framework/core";
import { ManualClock } from "framework/runtime";

import { AlertRefused } from "#inspector/alerts/alert-hook.js";
import { WebhookAlertHook, type WebhookAlertHookOptions } from "#inspector/alerts/webhook-alert-hook.js";
import { echo, type Handler, remote, serveRemote } from "../../support/asked-service.js";
import { shownAlert } from "../../support/shown-alert.js";

serveRemote();

const SECRET = "a secret of 24 bytes or more";

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Notes what comes, and answers with one status after another. */
function receiver(...statuses: number[]) {
  const received: Received[] = [];
  remote.handle = (request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text) => {
      body += text;
    });
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      received.push({ method, url, headers: headers as Record<string, string>, body });
      response.writeHead(statuses.shift() ?? 204, { location: `${remote.base}/elsewhere` }).end();
    });
  };
  return received;
}

const never = new AbortController().signal;
const send = (options: Partial<WebhookAlertHookOptions> = {}, signal = never, path = "/hook?key=k") =>
  new WebhookAlertHook(remote.base + path, {
    secret: SECRET,
    wallClock: () => 1_700_000_000_999,
    ...options,
  }).deliver(shownAlert(), { id: "d1", signal });

describe("a webhook for alerts", () => {
  test("posts the alert, signed over its id, time and body", async () => {
    const received = receiver();
    await send({ headers: { authorization: "Bearer x" } });

    const [{ method, url, headers, body } = assert.fail()] = received;
    assert.deepEqual([method, url, received.length], ["POST", "/hook?key=k", 1]);
    assert.deepEqual(JSON.parse(body), {
      type: "alert.active",
      timestamp: "1970-01-01T00:00:02.000Z",
      data: shownAlert(),
    });
    assert.deepEqual(
      [
        headers["content-type"],
        headers["webhook-id"],
        headers["webhook-timestamp"],
        headers["authorization"],
      ],
      ["application/json", "d1", "1700000000", "Bearer x"],
    );
    const wanted = createHmac("sha256", SECRET).update(`d1.1700000000.${body}`).digest("base64");
    assert.equal(headers["webhook-signature"], `v1,${wanted}`);
  });

  test("is signed as Standard Webhooks says, with a secret in its form", async () => {
    const received = receiver();
    const key = Buffer.alloc(24, 7);
    await send({ secret: new Secret(`whsec_${key.toString("base64")}`) });

    const [{ headers, body } = assert.fail()] = received;
    const wanted = createHmac("sha256", key).update(`d1.1700000000.${body}`).digest("base64");
    assert.equal(headers["webhook-signature"], `v1,${wanted}`);
  });

  test("follows no redirect", async () => {
    const received = receiver(302, 200);

    await assert.rejects(send(), AlertRefused);
    assert.deepEqual(
      received.map(({ url }) => url),
      ["/hook?key=k"],
    );
  });

  for (const status of [400, 401, 404, 410])
    test(`is refused for good with ${status}`, async () => {
      receiver(status);

      await assert.rejects(
        send(),
        (error: Error) => error instanceof AlertRefused && error.message === `It answered ${status}`,
      );
    });

  for (const status of [408, 425, 429, 500, 503])
    test(`may be tried again after ${status}`, async () => {
      receiver(status);

      await assert.rejects(send(), (error: Error) => !(error instanceof AlertRefused));
    });

  test("gives up on who does not answer in time, and when the server stops", async () => {
    const clock = new ManualClock();
    const stopping = new AbortController();
    const arrived = (): Promise<void> =>
      new Promise((resolve) => {
        remote.handle = (() => resolve()) satisfies Handler;
      });
    const first = arrived();
    const late = assert.rejects(send({ clock, timeoutMs: 500 }), /did not answer in 500 ms/);
    await first;
    await clock.advance(500);
    await late;

    const second = arrived();
    const stopped = assert.rejects(send({ clock }, stopping.signal), /stops/);
    await second;
    stopping.abort(new Error("The server stops"));
    await stopped;
    assert.equal(clock.timers, 0);
  });

  test("may be tried again where nobody listens", async () => {
    const hook = new WebhookAlertHook("http://127.0.0.1:9/", { secret: SECRET });

    await assert.rejects(
      hook.deliver(shownAlert(), { id: "d", signal: never }) as Promise<void>,
      (error: Error) => !(error instanceof AlertRefused),
    );
  });

  test("does not wait for a body, however long", async () => {
    remote.handle = (request, response) => {
      request.resume();
      response.writeHead(200);
      response.write("x");
    };

    await send();
    remote.handle = echo;
  });

  test("is named without its query, and goes to https alone, but for this machine", () => {
    const made = (url: string, options: Partial<WebhookAlertHookOptions> = {}) =>
      new WebhookAlertHook(url, { secret: SECRET, ...options });

    assert.equal(made("https://hooks.example/a?token=t").name, "webhook https://hooks.example/a");
    for (const url of ["http://hooks.example/", "ftp://x/", "https://u:p@hooks.example/", "nowhere"])
      assert.throws(() => made(url), { code: "CONFIG_INVALID" }, url);
    for (const secret of ["", "too short", "whsec_AAAA", undefined as unknown as string])
      assert.throws(() => made("https://hooks.example/", { secret }), { code: "CONFIG_INVALID" });
    assert.throws(() => made("https://hooks.example/", { timeoutMs: 0 }), { code: "CONFIG_INVALID" });
    assert.throws(() => made("https://hooks.example/", { retries: 3 } as object), { code: "CONFIG_INVALID" });
  });
});

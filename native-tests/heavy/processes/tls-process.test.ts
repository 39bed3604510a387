// A process that speaks TLS: what it writes, and its workers.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { certificateFolder, localCertificate } from "../../support/certificate-folder.js";
import { issue } from "../../support/issued-certificate.js";
import { until } from "../../support/patience.js";
import { startIngress } from "../../support/server-process.js";
import { shownNow } from "../../support/tls-client.js";

const SERVER = "tls-ingress.ts";
const { authority } = localCertificate();
const named = (subject: string, ...names: readonly string[]) =>
  issue({ subject, names: ["localhost", ...names], issuer: authority });

/** What of a log is no line of it. */
const foreign = (stdout: string): readonly string[] =>
  stdout.split("\n").filter((line) => line !== "" && !/^(?:\{.*\}|listening .*)$/.test(line));

const reloads = (log: string): number => log.split('"code":"TLS_RELOADED"').length - 1;

describe("a process that speaks TLS", () => {
  test("writes its log to stdout and nothing else, when its certificate changes too", async () => {
    const folder = certificateFolder();
    const { cert, key } = folder.pair(named("one"));
    const server = await startIngress(SERVER, { cert, key });

    assert.equal(await shownNow(server), "one");
    folder.pair(named("two"));
    await until("the change is told", () => reloads(server.stdout()) === 1);
    assert.equal(await shownNow(server), "two");
    assert.equal(await server.stop(), 0);
    assert.deepEqual(foreign(server.stdout()), []);
  });

  test("writes two lines of the engine for each further name, as docs/tls.md says", async () => {
    const folder = certificateFolder();
    const { cert, key } = folder.pair(named("one"));
    const b = folder.pair(named("b", "b.example"), "b");
    const server = await startIngress(SERVER, { cert, key, other: b });

    assert.equal(await shownNow(server, { servername: "b.example" }), "b");
    assert.equal(await server.stop(), 0);
    assert.deepEqual(foreign(server.stdout()), ["finding b.example", "Browsed to SNI: b.example"]);
  });

  test("has each of its workers serve a changed certificate", async () => {
    const folder = certificateFolder();
    const { cert, key } = folder.pair(named("one"));
    const server = await startIngress(SERVER, { cert, key, workers: 2 });

    assert.equal(await shownNow(server), "one");
    folder.pair(named("two"));
    await until("both workers have told of it", () => reloads(server.stdout()) === 2);
    for (let i = 0; i < 20; i += 1) assert.equal(await shownNow(server), "two");
    assert.equal(await server.stop(), 0);
  });

  test("ends with what is wrong of its certificate, alone and with workers", async () => {
    const folder = certificateFolder();
    const { cert } = folder.pair(named("one"));

    for (const workers of [1, 2])
      await assert.rejects(startIngress(SERVER, { cert, key: folder.path("none.key"), workers }), {
        message: /none\.key: the key cannot be read \(ENOENT\).*TLS_INVALID/s,
      });
  });
});

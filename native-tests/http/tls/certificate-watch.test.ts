// When changed files are read, and what becomes of those that cannot be served.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { Report } from "framework";

import { CertificateWatch } from "#http/tls/certificate-watch.js";
import { type Credentials, readCredentials } from "#http/tls/credentials.js";
import { tlsPlan } from "#http/tls/tls-options.js";
import { certificateFolder, localCertificate } from "../../support/certificate-folder.js";
import { issue } from "../../support/issued-certificate.js";
import { until } from "../../support/patience.js";

const HOUR = 3_600_000;
const { authority, own } = localCertificate();
const named = (subject: string, from?: number) =>
  issue({ subject, issuer: authority, names: ["localhost"], ...(from !== undefined && { from }) });

/** A watch on a clock that the test moves; `serve` may be exchanged. */
async function watching() {
  const folder = certificateFolder();
  const { cert, key } = folder.pair(own);
  const plan = tlsPlan(cert, key, { checkEveryMs: 10 });
  const clock = { ms: Date.now(), reads: 0 };
  const reports: Report[] = [];
  const served: Credentials[] = [];
  const host = {
    serve: async (credentials: Credentials): Promise<boolean> => {
      served.push(credentials);
      return true;
    },
  };
  const watch = new CertificateWatch({
    plan,
    served: await readCredentials(plan, clock.ms),
    serve: (credentials) => host.serve(credentials),
    reporter: (report) => void reports.push(report),
    now: () => {
      clock.reads += 1;
      return clock.ms;
    },
  });
  const codes = () => reports.map(({ code }) => code);
  /** Looks are told by the clock that they read. */
  const looks = () => {
    const before = clock.reads;
    return until("it has looked again and again", () => clock.reads > before + 10);
  };
  return { folder, clock, reports, served, host, watch, codes, looks };
}

describe("a certificate that cannot be served yet", () => {
  test("is tried again an hour later, when it has begun to be valid, and not before", async () => {
    const { folder, clock, served, watch, codes, looks, reports } = await watching();
    folder.pair(named("later", clock.ms + HOUR / 2));
    await until("it is told", () => codes().length === 1);
    assert.match(reports[0]?.message ?? "", /is not valid before/);

    clock.ms += HOUR - 1;
    await looks();
    assert.deepEqual([codes(), served.length], [["TLS_RELOAD_FAILED"], 0]);
    clock.ms += 1;
    await until("it is served", () => served.length === 1);
    await until("that is told", () => codes().length === 2);
    assert.deepEqual(codes(), ["TLS_RELOAD_FAILED", "TLS_RELOADED"]);
    clock.ms += HOUR;
    await looks();
    watch.end();
    assert.equal(served.length, 1);
  });

  test("is told of each time, where it is not the certificate that hinders", async () => {
    const { folder, clock, host, watch, codes, served, looks } = await watching();
    const { serve } = host;
    host.serve = () => Promise.reject(new Error("there is no port"));
    folder.pair(named("two"));
    await until("it is told", () => codes().length === 1);
    clock.ms += HOUR;
    await until("it is told again", () => codes().length === 2);
    await looks();
    host.serve = serve;
    clock.ms += HOUR;
    await until("that is told", () => codes().length === 3);
    watch.end();

    assert.equal(served.length, 1);
    assert.deepEqual(codes(), ["TLS_RELOAD_FAILED", "TLS_RELOAD_FAILED", "TLS_RELOADED"]);
  });

  test("is no failure where it was written while it was read", async () => {
    const { folder, host, watch, codes, served } = await watching();
    const { serve } = host;
    host.serve = () => {
      host.serve = serve;
      folder.pair(named("three"));
      return Promise.reject(new Error("half of two, half of three"));
    };
    folder.pair(named("two"));
    await until("the last one is served", () => codes().includes("TLS_RELOADED"));
    watch.end();

    assert.deepEqual([codes(), served.length], [["TLS_RELOADED"], 1]);
  });
});

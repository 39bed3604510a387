// What testssl.sh finds of a server that speaks TLS. Its full run takes a minute; here it
// looks at what the server itself decides: versions, ciphers, renegotiation and known holes.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";

import { Axon, Framework } from "framework";

import { certificateFolder, localCertificate } from "../../support/certificate-folder.js";
import { findProgram, skipWithout } from "../../support/debian-program.js";

interface Finding {
  readonly id: string;
  readonly severity: string;
  readonly finding: string;
}

const SUITES = [
  "--protocols",
  "--std",
  "--renegotiation",
  "--heartbleed",
  "--ccs-injection",
  "--ticketbleed",
];
const MORE = [
  "--robot",
  "--crime",
  "--poodle",
  "--tls-fallback",
  "--sweet32",
  "--freak",
  "--logjam",
  "--beast",
];

describe("testssl.sh", { skip: skipWithout("testssl") }, () => {
  test("finds nothing that is not well", { timeout: 300_000 }, async () => {
    const folder = certificateFolder();
    const { authority, own } = localCertificate({ key: "rsa2048" });
    const { cert, key } = folder.pair(own, "server", authority);
    const server = await Framework.http({ processGuards: false, reporter: () => {} })
      .bind("127.0.0.1:0")
      .drainIdle(0)
      .tls(cert, key)
      .get(
        "/",
        Axon.start("hello").thenFn("greet", () => "hello"),
      )
      .run();
    const report = folder.path("report.json");

    const child = spawn(
      findProgram("testssl") as string,
      [
        "--quiet",
        "--warnings=off",
        "--color=0",
        "--nodns=none",
        "--jsonfile",
        report,
        ...SUITES,
        ...MORE,
        server.address,
      ],
      { stdio: "ignore" },
    );
    await once(child, "exit");
    await server.close();
    const findings = JSON.parse(readFileSync(report, "utf8")) as readonly Finding[];
    const idsOf = findings.map(({ id }) => id);
    for (const id of [
      "SSLv3",
      "TLS1",
      "TLS1_1",
      "TLS1_2",
      "TLS1_3",
      "secure_client_renego",
      "heartbleed",
      "ROBOT",
    ])
      assert.ok(idsOf.includes(id), `${id} was looked at`);
    assert.deepEqual(
      // Of the program itself, and not of the server: with which openssl it was started.
      findings.filter(({ id, severity }) => id !== "engine_problem" && !["OK", "INFO"].includes(severity)),
      [],
    );
  });
});

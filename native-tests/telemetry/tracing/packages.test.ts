import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

import { spanPackages, tracingPackages, VERSIONS } from "#telemetry/tracing/packages.js";
import { applicationOf } from "#telemetry/tracing/service.js";
import { folderWith } from "../../support/config-folder.js";

describe("what sends traces", () => {
  test("is named with the command that installs it, where it is missing", () => {
    const missing = (name: string): never => {
      throw new Error(`Cannot find module '${name}'`);
    };

    for (const [protocol, exporter] of [
      ["grpc", "exporter-trace-otlp-grpc"],
      ["http", "exporter-trace-otlp-proto"],
    ] as const) {
      assert.throws(() => tracingPackages(protocol, missing), {
        code: "TELEMETRY_UNAVAILABLE",
        message: new RegExp(
          `over ${protocol} .*run "npm install @opentelemetry/sdk-trace@\\S+ @opentelemetry/resources@\\S+ @opentelemetry/${exporter}@\\S+"`,
        ),
      });
    }
  });

  test("is named for spans that are not sent, too", () => {
    const missing = (name: string): never => {
      throw new Error(`Cannot find module '${name}'`);
    };

    assert.throws(() => spanPackages(missing), {
      code: "TELEMETRY_UNAVAILABLE",
      message: /^inspector\(\{ spans \}\) .*run "npm install @opentelemetry\/sdk-trace@\S+"/,
    });
  });

  test("has the versions that package.json has", () => {
    const { devDependencies, peerDependencies } = JSON.parse(readFileSync("package.json", "utf8"));

    for (const [name, version] of Object.values(VERSIONS)) {
      assert.equal(devDependencies[name], version);
      assert.equal(peerDependencies[name], `^${version}`);
    }
  });
});

describe("the version of an application", () => {
  test("is that of the nearest package.json above its program", () => {
    const folder = folderWith({
      "package.json": '{"version":"1.2.3"}',
      "dist/main.js": "",
      "broken/package.json": "{",
      "unversioned/package.json": "{}",
    });
    const of = (...path: string[]) => applicationOf(join(folder, ...path)).version;

    assert.deepEqual(
      [of("dist", "main.js"), of("main.js"), of("broken", "main.js"), of("unversioned", "main.js")],
      ["1.2.3", "1.2.3", undefined, undefined],
    );
    assert.deepEqual(applicationOf(undefined), {});
  });
});

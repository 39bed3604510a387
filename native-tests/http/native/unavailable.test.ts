import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { unavailable } from "#http/native/unavailable.js";

const packages = [20, 22, 24].map((node) => `@uwsjs/linux-x64-${node}@20.51.4`);
const on = (node: string, glibc: string | undefined = "2.36") => ({ node, glibc, platform: "linux-x64" });

/** As Node.js reports a binary that does not load. */
const unloadable = (node: number, message: string) => ({
  source: `@uwsjs/linux-x64-${node}@20.51.4`,
  cause: Object.assign(new Error(message), { code: "ERR_DLOPEN_FAILED" }),
});
const missing = {
  source: undefined,
  cause: Object.assign(new Error("Cannot find module"), { code: "MODULE_NOT_FOUND" }),
};
const ofOther = "Module did not self-register: '/app/node_modules/uWebSockets.js/uws.node'.";
const glibc =
  "/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.38' not found (required by /app/node_modules/uWebSockets.js-node24/uws.node)";

describe("a native server that does not load", () => {
  test("needs a newer glibc: another system, or an older Node.js", () => {
    assert.equal(
      unavailable([missing, missing, unloadable(24, glibc)], packages, on("24.21.0")),
      "The native server for Node.js 24 needs glibc 2.38, and this system has 2.36: run Node.js 20 or 22 and install the packages with it, or a system with glibc 2.38 or newer (Debian 13, Ubuntu 24.04)",
    );
  });

  test("was installed with another Node.js: it is to be installed with this one", () => {
    for (const failed of [unloadable(20, ofOther), unloadable(24, glibc)])
      assert.match(
        unavailable([missing, failed], packages, on("22.11.0")),
        /^The packages were installed with Node\.js 2[04], .* not load with Node\.js 22\.11\.0: run `npm install` with this Node\.js$/,
      );
  });

  test("is told with what the loader said, where that is something else", () => {
    const broken = unloadable(22, "/app/uws.node: file too short");

    assert.match(
      unavailable([broken], packages, on("22.11.0")),
      /^The native server @uwsjs\/linux-x64-22@20\.51\.4 does not load with Node\.js 22\.11\.0: \/app\/uws\.node: file too short\. Remove/,
    );
  });

  test("is not there: the command that installs it", () => {
    assert.match(
      unavailable([missing], packages, on("22.11.0")),
      /run `npm install uWebSockets\.js@npm:@uwsjs\/linux-x64-22@/,
    );
    for (const machine of [on("23.1.0"), { ...on("22.11.0"), platform: "darwin-arm64" }])
      assert.match(
        unavailable(
          [missing, unloadable(20, ofOther)].slice(0, machine.platform === "linux-x64" ? 2 : 1),
          packages,
          machine,
        ),
        /run `npm install uNetworking\/uWebSockets\.js#/,
      );
  });
});

// What programs get wrong in the guards that they write, and where they put them.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, busKey, bytes, Framework, guard, pass, writtenHeader } from "framework";
import { TestApp } from "framework/http";
import { CorsGuard } from "framework/std";

import { untyped } from "../../support/untyped.js";

const hello = Axon.start("hello").thenFn("greet", () => "hello");
const echo = Axon.start<Uint8Array>("echo");
const Text = busKey<string>()("Text");

type Declared = Omit<Parameters<typeof guard>[0], "name" | "run">;
const declaring = (declared: Declared) => guard({ name: "own", ...declared, run: (input) => pass(input) });
const mounting = (own: unknown) => () =>
  new TestApp(Framework.http().post("/", echo, { input: bytes(), guards: [own as never] }));

describe("a guard of a program", () => {
  test("cannot say a header that is the ingress's own, or follows from a body", () => {
    for (const name of [
      "Content-Length",
      "transfer-encoding",
      "connection",
      "content-type",
      "x-request-id",
    ]) {
      const refused = { code: "HEADER_INVALID", message: /is not for a guard to set: / };
      const written = [writtenHeader(Text, name, (text) => text)];

      assert.throws(mounting(declaring({ responseHeaders: { always: { [name]: "1" } } })), refused, name);
      assert.throws(mounting(declaring({ responseHeaders: { overHttps: { [name]: "1" } } })), refused, name);
      assert.throws(mounting(declaring({ responseHeaders: { written } })), refused, name);
    }
  });

  test("cannot have a limit that is no number, which would limit nothing", () => {
    for (const limit of [Number.NaN, -1, 1.5, Number.POSITIVE_INFINITY, "10"]) {
      const bodyLimit = limit as number;
      assert.throws(mounting(declaring({ bodyLimit })), {
        code: "CONFIG_INVALID",
        message: /^bodyLimit of guard 'own' is .*: use a whole number/,
      });
      assert.throws(mounting(declaring({ timeoutMs: bodyLimit })), {
        code: "CONFIG_INVALID",
        message: /^timeoutMs of guard 'own' is /,
      });
    }
  });

  test("stands in front of a route where it declares more than it does itself", async () => {
    const inside = (own: unknown) => {
      const axon = echo.subgraph(Axon.start<Uint8Array>("inner").then(own as never));
      return Framework.http().post("/", axon as typeof echo, { input: bytes() });
    };
    const refused = { code: "ROUTE_INVALID", message: /'own' of POST \/ .* stands inside the step 'inner'/ };
    const always = { "x-a": "1" };
    const observer = { reads: [], answered: () => {} };
    const cors = { linesFor: () => "", preflight: () => "" };

    for (const declared of [{ bodyLimit: 2 }, { timeoutMs: 1 }, { cors }, { observer }])
      assert.throws(() => new TestApp(inside(declaring(declared))), refused, Object.keys(declared)[0]);
    for (const responseHeaders of [{ always }, { overHttps: always }])
      assert.throws(() => new TestApp(inside(declaring({ responseHeaders }))), refused);
    const written = [writtenHeader(Text, "x-b", (text) => text)];
    const deciding = declaring({ mayWrite: [Text], responseHeaders: { written } });
    assert.equal((await new TestApp(inside(deciding)).post("/", { body: "ab" })).text, "ab");
  });

  test("is made of a name, a function and what a guard declares, and nothing is ignored", () => {
    const run = (input: unknown) => pass(input as never);
    const make = guard as (definition?: unknown) => unknown;

    for (const definition of [undefined, null, "own", {}, { name: "own" }, { run }, { name: "", run }])
      assert.throws(() => make(definition), {
        code: "CONFIG_INVALID",
        message: /^guard\(\.\.\.\): give it a name/,
      });
    for (const part of ["responseHeader", "readers", "body_limit", "toString"])
      assert.throws(() => make({ name: "own", run, [part]: {} }), {
        code: "CONFIG_INVALID",
        message: new RegExp(`^guard\\(\\{ name: 'own' \\}\\): it knows no '${part}'; there are name, `),
      });
    assert.throws(
      mounting(() => 1),
      {
        code: "CONFIG_INVALID",
        message: /was given no guard: make one, as in guard/,
      },
    );
  });

  test("comes by itself: a second one in the same call is refused, and is not left out", () => {
    const one = guard({ name: "one", run: (input) => pass(input) });

    for (const call of ["guard", "layer"] as const)
      for (const given of [
        [one, one],
        [one, undefined],
      ])
        assert.throws(() => untyped(Framework.http())[call](...given), {
          code: "CONFIG_INVALID",
          message: new RegExp(`^${call}\\(\\).*: call it for each`),
        });
    assert.throws(
      () => untyped(Framework.http()).guard([one]),
      /guard\(\) was given no guard: .*give each by itself/,
    );
  });

  test("is told apart from its class, and from its name", () => {
    assert.throws(() => untyped(Framework.http()).get("/", hello, { guards: [CorsGuard] }), {
      code: "CONFIG_INVALID",
      message: /^GET \/ was given no guard: if CorsGuard is its class, write new CorsGuard\(...\)$/,
    });
    assert.throws(
      () =>
        untyped(Framework.http().guard(new CorsGuard()))
          .get("/", hello, { without: [CorsGuard] })
          .routes(),
      {
        code: "ROUTE_INVALID",
        message: /in the place of its name, .*'CorsGuard'\)$/,
      },
    );
  });
});

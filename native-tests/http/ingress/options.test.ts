// What programs without types get wrong in options.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, type BusKey, busKey, Framework, guard, pass, Type } from "framework";

import { untyped } from "../../support/untyped.js";

const hello = Axon.start("hello").thenFn("greet", () => "hello");
const open = guard({ name: "open", run: (input) => pass(input) });
const Db: BusKey<string, "Db"> = busKey<string>()("Db");

const httpOf = (options: unknown) => () => (Framework.http as (options: unknown) => unknown)(options);
const routeOf = (options: unknown) => () => untyped(Framework.http()).get("/x", hello, options);
const groupOf = (options: unknown) => () =>
  untyped(Framework.http()).group("/a", options, (group: unknown) => untyped(group).get("/x", hello));
const inGroup = (options: unknown) => () =>
  untyped(Framework.http()).group("/a", {}, (group: unknown) => untyped(group).get("/x", hello, options));

const refusedBy = (call: () => unknown, message: RegExp, code = "CONFIG_INVALID") =>
  assert.throws(call, { name: "FrameworkError", code, message });

describe("options of a program without types", () => {
  test("that are misspelt are refused, with the one that was meant", () => {
    refusedBy(
      httpOf({ maxInflight: 1 }),
      /^Framework\.http\(\) has no option 'maxInflight': did you mean maxInFlight\?$/,
    );
    refusedBy(routeOf({ timeout_ms: 5 }), /^GET \/x has no option 'timeout_ms': did you mean timeoutMs\?$/);
    refusedBy(inGroup({ guard: [open] }), /^GET \/x has no option 'guard': did you mean guards\?$/);
    refusedBy(groupOf({ tag: ["a"] }), /^group '\/a' has no option 'tag': did you mean tags\?$/);
    refusedBy(
      () => untyped(Framework.http()).provide(Db, () => "db", { read: [] }),
      /^provide\('Db'\) has no option 'read': did you mean reads\?$/,
    );
    refusedBy(
      () => untyped(Framework.http()).healthCheck("db", () => true, { timeoutMS_: 5 }),
      /^healthCheck\('db'\) has no option 'timeoutMS_': did you mean timeoutMs\?$/,
    );
  });

  test("that nobody knows are refused, with those that there are", () => {
    refusedBy(httpOf({ port: 80 }), /'port': there are trustedProxies, .*bodyTimeoutMs/);
    refusedBy(routeOf({ middleware: [] }), /'middleware': there are guards, layers, without, .*onFault/);
    refusedBy(groupOf({ input: undefined }), /group '\/a' has no option 'input'/);
    refusedBy(
      () => untyped(Framework.http()).mount({ "GET /x": [hello, { cache: 1 }] }),
      /Row 'GET \/x': .*'cache'/,
    );
    refusedBy(() => untyped(Framework.http()).fallback(hello, { wihtout: [] }), /did you mean without\?/);
  });

  test("that want a list and have none are refused, with how to write it", () => {
    for (const options of [{ guards: open }, { layers: () => {} }, { without: "open" }, { tags: "a" }]) {
      const [name = ""] = Object.keys(options);
      const remedy = new RegExp(`^${name} of .* is no list but .*: write ${name}: \\[\\.\\.\\.\\]$`);
      for (const call of [routeOf, groupOf, inGroup]) refusedBy(call(options), remedy);
    }
    refusedBy(httpOf({ resources: Db }), /^resources of Framework\.http\(\) is no list but an object/);
    refusedBy(httpOf({ trustedProxies: "10.0.0.0/8" }), /^trustedProxies of .* but a string/);
    refusedBy(() => untyped(Framework.http()).provide(Db, () => "db", { reads: Db }), /^reads of provide/);
  });

  test("that are none at all are refused", () => {
    for (const options of [null, "strict", [open], () => "hello"]) {
      for (const call of [httpOf, routeOf, groupOf, inGroup])
        refusedBy(call(options), /^The options of .* are .*: write them as \{ /);
    }
    refusedBy(() => untyped(Framework.http()).group("/a", {}), /^declare of group '\/a' is no function/);
  });

  test("of another kind than is wanted are refused", () => {
    refusedBy(
      httpOf({ reporter: { report() {} } }),
      /^reporter of Framework\.http\(\) is no function but an object/,
    );
    refusedBy(httpOf({ trailingSlash: "ignored" }), /^trailingSlash is 'ignored': use "strict" or "ignore"$/);
    refusedBy(routeOf({ onFault: {} }), /^onFault of GET \/x is no function/);
    refusedBy(routeOf({ input: Type.String() }), /^input of GET \/x is no extractor/, "EXTRACTOR_INVALID");
    refusedBy(routeOf({ input: null }), /^input of GET \/x is no extractor/, "EXTRACTOR_INVALID");
  });

  test("that are undefined are not there", () => {
    routeOf({ guards: undefined, input: undefined, onFault: undefined, tags: undefined })();
    httpOf({ reporter: undefined, resources: undefined, trailingSlash: undefined })();
    groupOf({ guards: undefined })();
  });
});

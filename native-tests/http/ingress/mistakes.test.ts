// What programs get wrong at first: the error names the place and the remedy.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Type } from "@sinclair/typebox";

import {
  Axon,
  branch,
  busKey,
  emit,
  eventKind,
  Framework,
  fault,
  jump,
  ProblemDetail,
  param,
} from "framework";
import { TestApp } from "framework/http";

import { untyped, untypedApp } from "../../support/untyped.js";

const hello = Axon.start("hello").thenFn("greet", () => "hello");
const gone = new ProblemDetail({ status: 410, code: "GONE", title: "Gone" });

/** What the log says of a request to a step that does so. */
async function told(run: () => unknown): Promise<string> {
  const reports: string[] = [];
  const ingress = untyped(
    Framework.http({ reporter: ({ message, error }) => reports.push(`${message} ${String(error)}`) }),
  );
  const answer = await untypedApp(ingress.get("/", Axon.start("a").thenFn("x", run))).get("/");
  assert.equal(answer.status, 500);
  return reports.join();
}

describe("a step", () => {
  test("that throws what it should answer is told to answer it", async () => {
    for (const thrown of [fault(gone), gone]) {
      const message = await told(() => {
        throw thrown;
      });
      assert.match(message, /^Step 'x' threw: .*: return fault\(/);
    }
    const thrown = await told(() => {
      throw new Error("broken");
    });
    assert.doesNotMatch(thrown, /return fault/);
  });

  test("whose fault says no status is told how to say one", async () => {
    assert.match(await told(() => fault("full")), /no status: "full"; make it a ProblemDetail, .* onFault/);
  });

  test("that goes somewhere undeclared is told where to declare it", async () => {
    const told_ = async (run: () => unknown) => (await told(run)).split(" [")[0];

    assert.match(
      String(await told_(() => branch("b", 1))),
      /^Step 'x' answered branch 'b'.*to its 'branches'/,
    );
    assert.match(String(await told_(() => jump("j", 1))), /^Step 'x' answered jump 'j'.*to its 'jumps'/);
    assert.match(
      String(await told_(() => emit(eventKind<number>()("e"), 1, 1))),
      /^Step 'x' answered emit 'e'.*to its 'emits'/,
    );
  });

  test("is told what to answer in the place of what JSON makes nothing of", async () => {
    assert.match(
      await told(() => new Map([[1, 2]])),
      /^GET \/, step 'x' of Axon 'a': .* is a Map: give Object\.fromEntries\(map\)/,
    );
    assert.match(await told(() => new Set([1])), /is a Set: give \[\.\.\.set\]/);
    assert.match(await told(() => new Error("full")), /is a Error: give fault\(error\)/);
  });

  test("that has a form of its own in JSON is answered by it", async () => {
    const own = Object.assign(new Map(), { toJSON: () => ({ own: true }) });
    const ingress = Framework.http().get(
      "/",
      Axon.start("a").thenFn("x", () => own),
    );

    assert.deepEqual((await new TestApp(ingress).get("/")).json, { own: true });
  });

  test("is answered where an error has what JSON, or the schema, shows of it", async () => {
    class Refused extends Error {
      readonly left = 3;
    }
    const refused = Axon.start("a").thenFn("x", () => new Refused("full"));
    const shown = refused.withOutputSchema(Type.Object({ message: Type.String(), left: Type.Number() }));
    const app = new TestApp(
      Framework.http()
        .get("/plain", refused)
        .get("/shown", shown as never),
    );

    assert.deepEqual((await app.get("/plain")).json, { left: 3 });
    assert.deepEqual((await app.get("/shown")).json, { message: "full", left: 3 });
  });
});

describe("an ingress", () => {
  test("names the routes whose steps read what nobody provides", () => {
    const Key = busKey<number>()("Key");
    const reading = (key: unknown) =>
      Axon.start("a").thenFn("read", (_, bus) => bus.get(key as typeof Key), { reads: [key as typeof Key] });
    const mount = (path: string, key: unknown) => () =>
      untypedApp(untyped(Framework.http()).get(path, reading(key)));

    assert.throws(mount("/a", Key), { message: /'Key' for step 'read' of Axon 'a' .* on GET \/a\. / });
    assert.throws(mount("/b/:id", param("Id")), {
      message: /'param:Id' .* on GET \/b\/:id, which has no ':Id'\. /,
    });
    assert.throws(mount("/b/:id", Key), { message: /on GET \/b\/:id\. / });
  });

  test("says how a group without options is written", () => {
    const declare = (group: { get(path: string, axon: unknown): unknown }) => group.get("/", hello);

    assert.throws(() => untyped(Framework.http()).group("/a", declare), {
      code: "CONFIG_INVALID",
      message: /^group\('\/a', declare\) .*: write group\('\/a', \{\}, declare\)$/,
    });
  });
});

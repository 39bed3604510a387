import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { context, createContextKey, propagation, trace } from "@opentelemetry/api";

import { Axon, Framework, layer } from "framework";
import { TestApp } from "framework/http";

import { keepingContexts } from "../../support/context-manager.js";
import { named } from "../../support/span-tree.js";
import { traced } from "../../support/traced-server.js";

const activeSpan = () => trace.getSpanContext(context.active())?.spanId;

describe("what is active in a step, where the program keeps contexts", () => {
  test("is its own span, also of steps that run beside each other", async () => {
    const seen = new Map<string, string | undefined>();
    const note = (name: string) => async () => {
      await new Promise(setImmediate);
      seen.set(name, activeSpan());
      return 1;
    };
    const axon = Axon.start("outer").parallel(
      [
        { name: "left", run: note("left") },
        { name: "right", run: note("right") },
      ],
      "AllMustSucceed",
      () => 1,
    );
    await traced("", async ({ config, spans }) => {
      const app = new TestApp(Framework.http().config(config).get("/a", axon));
      await keepingContexts(async () => {
        await app.get("/a");
      });

      const all = await spans();
      for (const name of ["left", "right"]) assert.equal(seen.get(name), named(all, name).spanId);
    });
  });

  test("has what a layer has made active, below the step's own span", async () => {
    const baggage = propagation.createBaggage({ tenant: { value: "7" } });
    const around = layer({
      name: "around",
      run: (_, next) => context.with(propagation.setBaggage(context.active(), baggage), next),
    });
    const seen: [span: string | undefined, tenant: string | undefined][] = [];
    const note = () => {
      seen.push([activeSpan(), propagation.getActiveBaggage()?.getEntry("tenant")?.value]);
      return 1;
    };
    const axon = Axon.start("layered")
      .thenFn("at once", note)
      .thenFn("later", async () => {
        await new Promise(setImmediate);
        return note();
      });
    await traced("", async ({ config, spans }) => {
      const app = new TestApp(Framework.http().config(config).layer(around).get("/a", axon));
      await keepingContexts(async () => {
        await app.get("/a");
      });

      const all = await spans();
      assert.deepEqual(
        seen,
        ["at once", "later"].map((name) => [named(all, name).spanId, "7"]),
      );
    });
  });

  test("has nothing of another request that calls it", async () => {
    const KEY = createContextKey("whose");
    const held: (() => void)[] = [];
    const seen: unknown[] = [];
    // Goes on in whatever context it is called.
    const queue = layer({
      name: "queue",
      run: (_, next) =>
        held.length > 0 ? next() : new Promise((resolve) => held.push(() => resolve(next()))),
    });
    const waiting = Axon.start("waiting").thenFn("see", () => seen.push(context.active().getValue(KEY)));
    const releasing = Axon.start("releasing").thenFn("release", () => {
      context.with(context.active().setValue(KEY, "the other's"), () => held[0]?.());
      return 1;
    });
    await traced("", async ({ config }) => {
      const ingress = Framework.http()
        .config(config)
        .layer(queue)
        .get("/wait", waiting)
        .get("/go", releasing);
      const app = new TestApp(ingress);
      await keepingContexts(async () => {
        const waits = app.get("/wait");
        while (held.length === 0) await new Promise(setImmediate);
        await app.get("/go");
        await waits;
      });

      assert.deepEqual(seen, [undefined]);
    });
  });
});

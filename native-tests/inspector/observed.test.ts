import assert from "node:assert/strict";
import { test } from "node:test";

import { Axon, Framework } from "framework";
import { Observed } from "#inspector/observed.js";
import { resolvedSettings } from "#inspector/settings.js";

test("what an Inspector observes looks after no run once it has stopped", async (t) => {
  const ingress = Framework.http().get(
    "/hello",
    Axon.start("hello").thenFn("greet", () => "hello"),
  );
  const settings = resolvedSettings({ options: { enabled: true }, config: undefined }, false);
  const observed = new Observed(ingress.routes(), settings, { reporter: () => {} });
  const close = t.mock.method(observed.stalls, "close");

  await observed.stop();

  assert.equal(close.mock.callCount(), 1);
});

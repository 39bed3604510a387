import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { type TSchema, Type } from "@sinclair/typebox";
import { Axon, Framework, Sensitive } from "framework";
import { entriesOf } from "#cli/compliance/processing.js";
import type { IngressPlan } from "#http/plan/ingress-plan.js";

const Restricted = Sensitive(Type.String(), { level: "restricted" });
const Twice = Type.Intersect([
  Type.Object({ email: Sensitive(Type.String()) }),
  Type.Object({ email: Restricted }),
]);
const Unknown = Type.Object({ email: Type.String({ "x-sensitive": { level: "restrited" } }) });
const Lost = Type.Object({ id: Type.Not(Restricted) });

describe("the record of processing", () => {
  const refused = (ingress: object, message: RegExp) =>
    assert.throws(() => entriesOf((ingress as { readonly plan: IngressPlan }).plan, []), {
      code: "SCHEMA_INVALID",
      message,
    });
  const posted = (body: TSchema) =>
    Framework.http().post(
      "/people",
      Axon.start("people", body).thenFn("keep", () => 1),
    );

  test("refuses marks that cannot be meant, with route, place and remedy", () => {
    refused(posted(Twice), /^POST \/people \(Axon 'people'\): body: Values at '\/email' .* mark them once$/);
    refused(posted(Unknown), /body: Schema at '\/properties\/email'.* did you mean restricted\?/);
    refused(posted(Lost), /body: Schema at '\/properties\/id\/not': no value reaches this mark/);
  });

  test("has for events the place of the Axon, not that of the step which the route appends", () => {
    const live = Axon.start("live", Type.Object({ email: Restricted })).thenFn(
      "tell",
      async function* (given) {
        yield { data: given };
      },
    );
    const [entry] = entriesOf(
      (Framework.http().sse("/live", live) as never as { plan: IngressPlan }).plan,
      [],
    );
    const out = entry?.rows.filter(({ direction }) => direction === "out");

    assert.deepEqual(
      out?.map(({ place, level, location }) => [
        place,
        level,
        /processing\.test\.[jt]s$/.test(location?.file ?? ""),
      ]),
      [["events", "restricted", true]],
    );
  });

  test("reads the marks of outputs and of Axons without a route as those of inputs", () => {
    const answering = Axon.start("read")
      .thenFn("find", () => ({ email: "" }))
      .withOutputSchema(Unknown);

    refused(
      Framework.http().get("/people", answering),
      /^GET \/people \(Axon 'read'\): output: .*restricted\?/,
    );
    assert.throws(
      () => entriesOf(undefined, [Axon.start("work", Twice).thenFn("keep", () => 1).definition]),
      {
        message: /^Axon 'work': input: Values at '\/email'/,
      },
    );
  });
});

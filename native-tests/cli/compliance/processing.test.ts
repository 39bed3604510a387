import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";

import { type TSchema, Type } from "@sinclair/typebox";
import { Axon, connectionOf, Framework, openStores, Sensitive, Stores } from "framework";
import { EncryptionHook } from "framework/compliance";
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

  test("says of stores whether they encrypt", () => {
    const keys = () => ({ current: "a", keys: { a: randomBytes(32) } });
    const kept = (options: Parameters<typeof openStores>[1]) => {
      const axon = Axon.start("people", Type.Object({ email: Restricted }))
        .withPersistenceStore(Stores.mounted)
        .thenFn("keep", () => 1);
      const ingress = Framework.http().stores(openStores("sqlite:people.db", options)).post("/people", axon);
      return entriesOf((ingress as { readonly plan: IngressPlan }).plan, [])
        .flatMap(({ rows }) => rows)
        .filter(({ direction }) => direction === "kept")
        .map(({ isEncrypted }) => isEncrypted);
    };

    assert.deepEqual(kept({}), [false]);
    assert.deepEqual(kept({ codec: new EncryptionHook({ keys }) }), [true]);
  });

  const outOf = (ingress: object) =>
    entriesOf((ingress as { readonly plan: IngressPlan }).plan, []).flatMap(({ rows }) =>
      rows.filter(({ direction }) => direction === "out"),
    );

  test("has for events the place of the Axon, and what is published as unknown where no schema declares it", () => {
    const live = Axon.start("live", Type.Object({ email: Restricted })).thenFn(
      "tell",
      async function* (given) {
        yield { data: given };
      },
    );
    const out = outOf(Framework.http().sse("/live", live));

    assert.deepEqual(
      out.map(({ place, level, certainty, location }) => [
        place,
        level,
        certainty,
        /processing\.test\.[jt]s$/.test(location?.file ?? ""),
      ]),
      [["events", "restricted", "unknown", true]],
    );
  });

  test("infers what a step sends to the connection of a client", () => {
    const message = Axon.start("tell", Type.Object({ email: Restricted })).thenFn(
      "pass on",
      { reads: [connectionOf<undefined>()] },
      (given, bus) => {
        bus.get(connectionOf<undefined>()).send(given.email);
      },
    );
    const out = outOf(Framework.http().ws("/chat", { open: () => undefined, message }));

    assert.deepEqual(
      out.map(({ place, level, certainty }) => [place, level, certainty]),
      [
        ["message", "restricted", "inferred"],
        ["messages of pass on", "restricted", "inferred"],
      ],
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

// A module whose requests `framework explain` walks through.

import { Type } from "@sinclair/typebox";
import { Axon, Framework, guard, IamPolicy, layer, pass } from "framework";
import { cookie, header } from "framework/http";
import { ContentTypeGuard, RateLimitGuard } from "framework/std";

const Note = Type.Object({ text: Type.String({ minLength: 1 }) }, { $id: "Note" });
const verifier = {
  description: "the house",
  verify: () => ({ subject: "someone", roles: [], claims: {} }),
};

const write = Axon.start("write note", Note)
  .withIam(IamPolicy.requireRole("clerk"), verifier)
  .thenFn("store", ({ text }) => ({ text }), { reads: [header("if-match")] })
  .withOutputSchema(Note);

const show = Axon.start("show note", Type.Object({ id: Type.Integer() })).thenFn("read", ({ id }) => ({
  id,
}));

const forget = Axon.start("forget note")
  .thenFn("forget", () => undefined)
  .withOutputSchema(Type.Void());
const replace = Axon.start("replace note")
  .thenFn("replace", { responses: [{ status: 200 }, { status: 201 }] }, () => ({ text: "" }))
  .withOutputSchema(Note);

const keyed = guard({
  name: "keyed",
  reads: [header("x-key"), cookie("cart")],
  run: (input) => pass(input),
});

export const ingress = Framework.http()
  .layer(layer({ name: "timing", run: (_bus, next) => next() }))
  .get("/notes/:id", show)
  .delete("/notes/:id", forget)
  .put("/notes/:id", replace)
  .get("/keyed", Axon.start("keyed"), { guards: [keyed] })
  .post("/notes", write, {
    guards: [new RateLimitGuard(10, 1000), new ContentTypeGuard(["application/json"])],
  });

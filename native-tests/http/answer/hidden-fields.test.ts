import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, combine, Framework, json, Log, path, Sensitive, Type, transition } from "framework";
import { type HttpIngress, TestApp } from "framework/http";
import { keepLog } from "../../support/logged-ingress.js";

const phone = { phone: Sensitive(Type.String()) };
const log = transition({
  name: "log",
  reads: [Log],
  run: (given: unknown, bus) => {
    bus.get(Log).info({ given }, "seen");
    return "done";
  },
});

describe("the log of an ingress hides by its name what a schema marks", () => {
  const Marked = Type.Object(phone);
  const routes: Readonly<Record<string, () => HttpIngress<any, never>>> = {
    "the Axon's own": () => Framework.http().post("/:owner", Axon.start("own", Marked).then(log)),
    "the body's of a route": () =>
      Framework.http().post("/:owner", Axon.start<{ phone: string }>("body").then(log), {
        input: json(Marked),
      }),
    "one part's of its input": () =>
      Framework.http().post("/:owner", Axon.start<unknown>("part").then(log), {
        input: combine({ body: json(Marked), path: path(Type.Object({ owner: Type.String() })) }),
      }),
    "a step's inside a subgraph's branch": () => {
      const marked = transition({ name: "in", input: Marked, run: (given: { phone: string }) => given });
      const inner = Axon.start<{ phone: string }>("inner").then(marked);
      return Framework.http().post(
        "/:owner",
        Axon.start<{ phone: string }>("outer").subgraph(inner).then(log),
        { input: json(Type.Object({ phone: Type.String() })) },
      );
    },
    "an answer's of another route": () =>
      Framework.http()
        .get("/other", Axon.start("other"), { responseSchemas: { 404: Marked } })
        .post("/:owner", Axon.start<unknown>("any").then(log), { input: json(Type.Unknown()) }),
  };
  for (const [whose, make] of Object.entries(routes))
    test(whose, async () => {
      const ingress = make();
      const kept = keepLog(ingress);
      await using app = new TestApp(ingress);
      const { status } = await app.post("/ada", { json: { phone: "0815-hidden" } });

      assert.equal(status, 200);
      assert.match(kept.text(), /"phone":"\[redacted\]"/);
      assert.ok(!kept.text().includes("0815-hidden"), kept.text());
    });
});

test("no text of a client changes a line of the program's own", async () => {
  const OWN = "PERMISSION DENIED: mallory tried transfer from acct-victim";
  const deny = transition({
    name: "deny",
    reads: [Log],
    run: (_: unknown, bus) => {
      bus.get(Log).error({ account: "acct-victim", who: ["mallory"] }, OWN);
      return "done";
    },
  });
  const ingress = Framework.http()
    .requestIdLayer()
    .post("/transfer/:token", Axon.start<unknown>("transfer").then(deny), {
      input: json(Type.Unknown()),
    });
  const kept = keepLog(ingress);
  await using app = new TestApp(ingress);
  const texts = ["mallory tried transfer", "acct-victim", "PERMISSION DENIED", OWN, "DENIED"];
  for (const text of texts) {
    const sent = encodeURIComponent(text);
    await app.post(`/transfer/${sent}?token=${sent}&password=${sent}`, {
      json: { password: text, token: text, secret: { api_key: text } },
      headers: {
        authorization: `Bearer ${text}`,
        cookie: `session=${sent}`,
        "x-api-key": text,
        "x-request-id": sent.replaceAll("%", "-"),
      },
    });
  }
  const own = kept.lines().filter(({ msg }) => msg === OWN);

  assert.equal(own.length, texts.length, kept.text());
  for (const line of own) assert.deepEqual([line["account"], line["who"]], ["acct-victim", ["mallory"]]);
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { TestApp } from "framework/http";

import { chat } from "./chat.js";

const AT = 1_800_000_000_000;
const said = (from: string, text: string) => ({ kind: "said", from, text, at: AT });

const opened = () => {
  const app = new TestApp(chat(undefined, () => AT));
  const enter = (name: string, room = "harbour") => app.ws("/talk", { query: { room, name } });
  return { app, enter };
};

describe("the chat", () => {
  test("tells everybody in a room what is said there, who says it too, and nobody elsewhere", async () => {
    const { app, enter } = opened();
    const [ann, ben, eve] = [await enter("Ann"), await enter("Ben"), await enter("Eve", "boatyard")];
    ann.send({ text: "High water at six" });
    eve.send({ text: "Is anybody here?" });

    for (const socket of [ann, ben])
      assert.deepEqual(await socket.nextJson(), said("Ann", "High water at six"));
    assert.deepEqual(await eve.nextJson(), said("Eve", "Is anybody here?"));
    await app.close();
  });

  test("shows who comes later what was said, the last fifty at most", async () => {
    const { app, enter } = opened();
    const ann = await enter("Ann");
    for (let n = 0; n < 60; n += 1) {
      ann.send({ text: `${n}` });
      await ann.next();
    }
    const ben = await enter("Ben");

    for (let n = 10; n < 60; n += 1) assert.deepEqual(await ben.nextJson(), said("Ann", `${n}`));
    await app.close();
  });

  test("says by the code of the close which name or room it does not take", async () => {
    const { app, enter } = opened();
    await enter("Ann");
    const end = async (name: string, room?: string) => (await (await enter(name, room)).closed).code;

    assert.equal(await end("ann"), 4002);
    for (const name of ["", " ", "<b>", "a".repeat(25), "-ann"]) assert.equal(await end(name), 4001, name);
    assert.equal(await end("Ann", "cellar"), 4001);
    await app.close();
  });

  test("tells who is where, and has a name free again when its owner has left", async () => {
    const { app, enter } = opened();
    const people = async () => {
      const events = await app.sse("/presence");
      const told: [string, readonly string[]][] = [];
      for (let n = 0; n < 3; n += 1) {
        const { room, people } = JSON.parse((await events.next())?.data ?? "");
        told.push([room, people]);
      }
      await events.close();
      return Object.fromEntries(told);
    };
    const ann = await enter("Ann");
    await enter("Ben", "boatyard");
    assert.deepEqual(await people(), { harbour: ["Ann"], lighthouse: [], boatyard: ["Ben"] });
    await ann.close();

    assert.deepEqual((await people())["harbour"], []);
    await enter("ann");
    assert.deepEqual((await people())["harbour"], ["ann"]);
    await app.close();
  });

  test("answers a message that is none by its problem, and goes on", async () => {
    const { app, enter } = opened();
    const ann = await enter("Ann");
    for (const [wrong, status] of [
      ["not JSON", 400],
      [{ text: "" }, 422],
      [{ text: "a".repeat(501) }, 422],
    ] as const) {
      ann.send(wrong);
      assert.equal(((await ann.nextJson()) as { readonly status: number }).status, status);
    }
    ann.send({ text: "sorry" });

    assert.deepEqual(await ann.nextJson(), said("Ann", "sorry"));
    await app.close();
  });

  test("serves its page with the files that it asks for, and lets no script but its own run", async () => {
    const { app } = opened();
    const page = await app.get("/");
    const files = [...page.text.matchAll(/(?:href|src)="(\/[^"]+)"/g)].map(([, path]) => path as string);

    assert.deepEqual(files, ["/icon.svg", "/style.css", "/chat.js"]);
    for (const path of files) assert.equal((await app.get(path)).status, 200);
    assert.match(page.headers["content-security-policy"] ?? "", /default-src 'self'|script-src 'self'/);
    // Its policy allows no other images.
    assert.doesNotMatch(page.text, /"data:/);
    await app.close();
  });
});

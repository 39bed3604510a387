import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";

import { TestApp } from "framework/http";

import { ferryLine } from "./booking.js";
import { club } from "./form.js";
import { logBook } from "./stream.js";
import { album } from "./uploads.js";

const URLENCODED = { "content-type": "application/x-www-form-urlencoded" };

/** A form as fetch writes it. */
async function encoded(form: FormData) {
  const request = new Request("http://a", { method: "POST", body: form });
  const type = request.headers.get("content-type") ?? "";
  return { body: new Uint8Array(await request.arrayBuffer()), headers: { "content-type": type } };
}

describe("the ferry line", () => {
  const app = new TestApp(ferryLine());

  test("reads JSON, path and query by the Axon's own schema", async () => {
    assert.deepEqual((await app.post("/bookings", { json: { passengers: ["Ada"] } })).json, { seats: 1 });
    assert.deepEqual((await app.get("/timetable/mull?days=1&days=5")).json, {
      crossing: "mull",
      page: 1,
      days: [1, 5],
    });
    assert.equal((await app.get("/timetable/mull?page=x")).status, 400);
    assert.equal((await app.get("/timetable/mull?page=0")).status, 422);
  });

  test("reads what a route names", async () => {
    assert.deepEqual((await app.patch("/bookings", { json: { passengers: ["Ada"] } })).json, ["Ada"]);
    assert.equal((await app.post("/announcements", { body: "fog" })).text, "FOG");
    assert.deepEqual((await app.post("/cargo", { body: new Uint8Array(9) })).json, { bytes: 9 });
    assert.equal((await app.post("/cargo", { body: new Uint8Array(5000) })).status, 413);
  });

  test("reads several at once, and says of each what is wrong", async () => {
    const json = { passengers: ["Ada", "Bob"] };
    const cookies = { sid: "12345678" };
    const headers = { "X-Agent": "Mo" };

    assert.deepEqual((await app.post("/desk/mull", { json, cookies, headers })).json, {
      crossing: "mull",
      desk: 1,
      session: "12345678",
      first: "Ada",
    });
    assert.equal((await app.post("/desk/mull", { json, cookies })).problem.errors?.[0]?.pointer, "/x-agent");
    assert.equal((await app.post("/desk/mull", { json, headers })).problem.detail, "In the cookies");
  });
});

describe("the club", () => {
  const app = new TestApp(club());
  const signUp = (body: string) => app.post("/members", { body, headers: URLENCODED });

  test("reads lists and what stands inside", async () => {
    assert.deepEqual((await signUp("name=Ada+L&age=36&day=1&day=3&home[port]=Oban&home[pier]=2")).json, {
      name: "Ada L",
      age: 36,
      day: [1, 3],
      home: { port: "Oban", pier: 2 },
    });
    assert.equal((await signUp("name=Ada&age=17")).status, 422);
    assert.equal((await signUp("name=Ada&age=36&home[pier]=2")).problem.errors?.[0]?.pointer, "/home/port");
  });
});

describe("the album", () => {
  test("shows a picture from memory", async () => {
    const app = new TestApp(album(), { Archive: "" });
    const form = new FormData();
    form.append("caption", "Freya");
    form.append("picture", new File(["\x89PNG"], "../Freya.png", { type: "image/png" }));
    const { json } = await app.post("/pictures", await encoded(form));

    assert.deepEqual(json, { caption: "Freya", picture: "Freya.png", type: "image/png", first: 0xc2 });
    form.append("more", new File(["x"], "x.png"));
    form.delete("picture");
    const { status, errors } = (await app.post("/pictures", await encoded(form))).problem;
    assert.deepEqual(
      [status, errors?.map(({ pointer, keyword }) => `${pointer} ${keyword}`)],
      [422, ["/more additionalProperties", "/picture required"]],
    );
  });

  test("keeps scans on the disk, under their names", async () => {
    const folder = mkdtempSync(join(tmpdir(), "framework-scans-"));
    const app = new TestApp(album(), { Archive: folder });
    const form = new FormData();
    form.append("scan", new File(["page 1"], "one.tif"));
    form.append("scan", new File([], "empty.tif"));
    const { json } = await app.post("/scans", await encoded(form));

    assert.deepEqual(json, { kept: 1 });
    assert.deepEqual(readdirSync(folder), ["one.tif"]);
    assert.equal(readFileSync(join(folder, "one.tif"), "utf8"), "page 1");
    assert.equal((await app.post("/scans", await encoded(form))).problem.code, "NAME_TAKEN");
    rmSync(folder, { recursive: true });
  });
});

describe("the log book", () => {
  const app = new TestApp(logBook());

  test("reads lines as they come, and stops at a bad one", async () => {
    const lines = Array.from({ length: 5000 }, (_, i) => `2026-11-21 entry ${i}`);

    assert.deepEqual((await app.post("/log", { body: lines.join("\n") })).json, { lines: 5000 });
    assert.deepEqual((await app.post("/log")).json, { lines: 0 });
    assert.equal((await app.post("/log", { body: `2026-${"x".repeat(2000)}` })).problem["line"], 1);
    lines[2] = "fog";
    assert.equal((await app.post("/log", { body: lines.join("\n") })).problem["line"], 3);
  });
});

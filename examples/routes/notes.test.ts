import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { TestApp } from "framework/http";

import { app } from "./app.js";

const open = () => new TestApp(app(), { Notes: new Map([["tea", "Buy some"]]) });

describe("the notes", () => {
  test("are listed at the table's root, which is the prefix itself", async () => {
    const notes = open();

    assert.deepEqual((await notes.get("/notes")).json, ["tea"]);
    assert.equal((await notes.get("/notes/")).status, 404);
  });

  test("are the same under both prefixes", async () => {
    const notes = open();
    await notes.put("/notes/milk", { json: { text: "Two litres" } });

    assert.deepEqual((await notes.get("/v1/notes/milk")).json, { text: "Two litres" });
  });

  test("are refused where they are empty, too long or unknown", async () => {
    const notes = open();

    assert.equal((await notes.put("/notes/milk", { json: { text: "" } })).status, 422);
    assert.equal((await notes.put("/notes/milk", { json: { text: "x".repeat(5000) } })).status, 413);
    assert.equal((await notes.get("/notes/milk")).problem.code, "NO_NOTE");
  });
});

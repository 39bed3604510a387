import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { TestApp } from "framework/http";

import { ingress } from "./app.js";
import { MemoryBooks } from "./books.js";

const TOKEN = "token-of-the-tests";
const headers = { authorization: `Bearer ${TOKEN}` };
const emma = { title: "Emma", author: "Jane Austen", year: 1815 };

const open = () => new TestApp(ingress(TOKEN), { Books: new MemoryBooks() });

describe("the catalogue", () => {
  test("has a book that was added, until it is removed", async () => {
    await using app = open();
    const added = await app.post("/books", { headers, json: emma });
    const place = added.headers["location"] ?? "";

    assert.equal(added.status, 201);
    assert.deepEqual((await app.get(place)).json, added.json);
    assert.equal((await app.delete(place, { headers })).status, 204);
    assert.equal((await app.get(place)).problem.code, "BOOK_UNKNOWN");
  });

  test("lists the books of an author", async () => {
    await using app = open();
    await app.post("/books", { headers, json: emma });
    await app.post("/books", { headers, json: { title: "Ulysses", author: "James Joyce", year: 1922 } });
    const { json } = await app.get("/books", { query: { author: "Jane Austen" } });

    assert.deepEqual(
      (json as { title: string }[]).map(({ title }) => title),
      ["Emma"],
    );
  });

  test("replaces a book that exists, and no other", async () => {
    await using app = open();
    const { headers: added } = await app.post("/books", { headers, json: emma });
    const place = added["location"] ?? "";
    const replaced = await app.put(place, { headers, json: { ...emma, year: 1816 } });

    assert.equal((replaced.json as { year: number }).year, 1816);
    assert.equal((await app.put("/books/none", { headers, json: emma })).status, 404);
  });

  test("is changed by the librarian only", async () => {
    await using app = open();

    assert.equal((await app.post("/books", { json: emma })).status, 401);
    assert.equal((await app.delete("/books/1", { headers: { authorization: "Bearer x" } })).status, 401);
  });

  test("refuses what is not a book, and names each mistake", async () => {
    await using app = open();
    const { status, problem } = await app.post("/books", { headers, json: { ...emma, title: "", year: 1 } });

    assert.equal(status, 422);
    assert.deepEqual(problem.errors?.map(({ pointer }) => pointer).sort(), ["/title", "/year"]);
  });
});

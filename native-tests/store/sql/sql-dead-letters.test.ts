import assert from "node:assert/strict";
import { createServer } from "node:net";
import { describe, test } from "node:test";

import type { DeadLetter } from "framework/core";
import { deadLetterStoreContract } from "framework/testing/contracts";
import { type Codec, plainCodec } from "#core/ports/codec.js";
import { SqlDeadLetters } from "#store/sql/sql-dead-letters.js";
import { skipWithoutPostgres } from "../../support/postgres-server.js";
import { type OpenDatabase, postgresDatabases, sqliteDatabases } from "../../support/sql-stores.js";

const letter = (
  id: string,
  fields: Partial<DeadLetter> & { readonly subject?: string } = {},
): DeadLetter => ({
  ...{ id, kind: "step", axon: "orders", version: "1", node: "orders/pay", input: 1, error: { kind: "x" } },
  ...{ timeline: undefined, failed_at: 1, attempts: 1, undone: [] },
  ...fields,
});

function lettersIn(name: string, open: OpenDatabase): void {
  deadLetterStoreContract(name, async () => new SqlDeadLetters(await open(), plainCodec));

  const opened = async (codec: Codec = plainCodec) => {
    const database = await open();
    const store = new SqlDeadLetters(database, codec);
    const kept = async (fields: Partial<DeadLetter>): Promise<DeadLetter> => {
      await store.send(letter("a", fields));
      const found = await store.get("a");
      assert.ok(found);
      return found;
    };
    return { database, store, kept };
  };

  describe(`what dead letters hold in ${name}`, () => {
    test("comes back as it was: dates, maps, bytes, numbers that JSON has not, and the timeline", async () => {
      const { kept } = await opened();
      const input = {
        ...{ at: new Date(5), list: [new Map([[1, new Set(["\0\ud800"])]]), -0, 10n, undefined] },
        ...{ bytes: Uint8Array.of(0, 255), $: ["date", 1] },
      };
      const fields: Partial<DeadLetter> = {
        ...{ input, trace: { trace_id: "t", span_id: "s" }, run_id: "r" },
        undone: [{ node: "orders/hold", input: new Date(7), stands: true }],
        timeline: {
          ...{ axon: "orders", version: "1", started_at: 1, dropped: 0 },
          events: [{ kind: "node_exit", node: "n", at_us: 1, outcome: "fault", duration_us: 2 }],
        },
      };

      assert.deepEqual(await kept(fields), letter("a", fields));
    });

    test("is kept but for the parts that no store can keep, which are named", async () => {
      const { kept } = await opened();
      const around: Record<string, unknown> = {};
      around["around"] = around;
      const { input, undone, lost } = await kept({
        input: { order: { id: 7, file: createServer() }, lines: [1, () => 1] },
        undone: [{ node: "n", input: new Proxy({}, { ownKeys: () => assert.fail("a trap") }) }],
      });

      assert.deepEqual(input, {
        order: { id: 7, file: "(not kept: an instance of Server)" },
        lines: [1, "(not kept: a function)"],
      });
      assert.match(String(undone[0]?.input), /^\(not kept: .* when it is read\)$/);
      assert.deepEqual(lost?.slice(0, 2), [
        "input.order.file: an instance of Server",
        "input.lines[1]: a function",
      ]);
      assert.equal(typeof (await kept({ input: around })).input, "object");
      assert.match(
        String((await kept({ input: "x".repeat(1_048_577) })).input),
        /^\(not kept: a value of more than 1048576 characters/,
      );
    });

    test("may have ids, names and subjects of any characters and length", async () => {
      const { store, database } = await opened();
      const texts = ["\0", "\ud800", "\ud801", "\ufffd", "ä".repeat(9000)];
      for (const text of texts)
        await store.send(letter(text, { axon: text, node: text, subject: text } as Partial<DeadLetter>));
      for (const text of texts) {
        assert.equal((await store.get(text))?.id, text);
        assert.deepEqual(
          (await store.list({ axon: text, node: text })).map(({ axon }) => axon),
          [text],
        );
      }
      const subjects = await database.read(`SELECT subject FROM ${database.tables.letter}`, []);
      assert.equal(new Set(subjects.map(({ subject }) => subject)).size, texts.length);
    });

    test("is listed as unreadable where the codec cannot decode it, beside the others", async () => {
      const { store } = await opened({
        encode: (text) => ({ text, keyId: text.includes("forgotten") ? "gone" : "k" }),
        decode: (text, keyId) => {
          if (keyId === "gone") throw new Error("its key was deleted");
          return text;
        },
      });
      await store.send(letter("a", { input: "forgotten", failed_at: 9 }));
      await store.send(letter("b"));
      const [first, second] = await store.list();

      assert.deepEqual(
        [first?.id, first?.axon, first?.failed_at, first?.input, first?.lost],
        ["a", "orders", 9, "(not readable: its key was deleted)", ["(not readable: its key was deleted)"]],
      );
      assert.deepEqual(second, letter("b"));
      assert.equal(await store.remove("a"), true);
    });

    test("is listed without a limit, too", async () => {
      const { store } = await opened();
      for (let n = 0; n < 101; n += 1) await store.send(letter(String(n)));

      assert.equal((await store.list({ limit: Number.POSITIVE_INFINITY })).length, 101);
    });
  });
}

lettersIn("SQLite", sqliteDatabases());

describe("PostgreSQL", { skip: skipWithoutPostgres }, () => {
  lettersIn("PostgreSQL", postgresDatabases());
});

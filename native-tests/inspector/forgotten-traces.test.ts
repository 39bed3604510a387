// An erasure reaches the memory of each process that has the stores.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

import { Axon, Framework, openStores, Stores } from "framework";
import { eraseSubject } from "framework/compliance";
import { BearerAuth } from "framework/inspector";

const folder = mkdtempSync(join(tmpdir(), "forgotten-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const TOKEN = "operator-token-0123456789";
const headers = { authorization: `Bearer ${TOKEN}` };

async function served(url: string, isKept: boolean) {
  const visit = Axon.start("visit").thenFn("name", () => "seen");
  let inspector = "";
  const server = await Framework.http()
    .stores(openStores(url), { leaseMs: 200 })
    .get("/visits", isKept ? visit.withPersistenceStore(Stores.mounted) : visit)
    .inspector({
      ...{ enabled: true, port: 0, auth: BearerAuth.tokens({ operator: TOKEN }) },
      announce: (link) => {
        inspector = new URL(link).origin;
      },
    })
    .bind("127.0.0.1:0")
    .run();
  const data = async (path: string): Promise<any> =>
    ((await (await fetch(`${inspector}${path}`, { headers })).json()) as { readonly data: unknown }).data;
  return {
    server,
    visit: async () => {
      await (await fetch(`${server.url}/visits`)).text();
      await (await fetch(`${server.url}/nowhere`)).text();
    },
    kept: async () => [
      (await data("/api/v1/traces?circuit=visit")).traces.length,
      (await data("/api/v1/unmatched")).requests.length,
    ],
  };
}

test("an erasure empties the traces of each process with the stores, also of one that keeps no runs", async () => {
  const url = `sqlite:${folder}/app.db`;
  const processes = [await served(url, true), await served(url, false)];
  const stores = openStores(url);
  try {
    for (const each of processes) await each.visit();
    for (const each of processes) assert.deepEqual(await each.kept(), [1, 1]);

    const { state, sinks } = await eraseSubject({ subject: "ann", reason: "asked" }, { stores });

    assert.deepEqual(
      [state, sinks.find(({ sink }) => sink === "traces")],
      ["done", { sink: "traces", erased: 4, state: "done", left: [], leftCount: 0 }],
    );
    for (const each of processes) assert.deepEqual(await each.kept(), [0, 0]);
    for (const each of processes) await each.visit();
    for (const each of processes) assert.deepEqual(await each.kept(), [1, 1]);
  } finally {
    await stores.close();
    for (const { server } of processes) await server.close();
  }
});

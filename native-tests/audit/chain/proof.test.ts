import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import {
  generateSigningKey,
  MemoryAuditSink,
  proveEvent,
  publicKeys,
  signedAudit,
  signingKey,
  wrongInProof,
} from "framework/audit";
import { leafOf, MerkleRoot, pathOf, rootAlong } from "#audit/chain/merkle.js";

const folder = mkdtempSync(join(tmpdir(), "proof-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const { privateKey, publicKey } = generateSigningKey();
const keys = publicKeys(publicKey);

/** A log of so many events, one checkpoint over all of them. */
async function log(count: number): Promise<MemoryAuditSink> {
  const sink = new MemoryAuditSink();
  const signed = signedAudit(sink, { key: signingKey(privateKey) });
  for (let n = 1; n <= count; n += 1)
    await signed.append({
      id: `e${n}`,
      actor: "alice",
      action: "pay",
      target: `order ${n}`,
      metadata: { é: [n, "\u2028"] },
    });
  await signed.close();
  return sink;
}

/** What the program of the example says, which imports nothing of the package. */
function checked(proof: unknown, pem = publicKey): string {
  const [proofFile, keyFile] = [join(folder, "proof.json"), join(folder, "key.pub")];
  writeFileSync(proofFile, JSON.stringify(proof));
  writeFileSync(keyFile, pem);
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["examples/ledger/check-proof.mjs", proofFile, keyFile],
    {
      encoding: "utf8",
    },
  );
  return `${stdout}${stderr}`.trim();
}

describe("a Merkle tree", () => {
  test("has the root of RFC 6962 for each number of leaves, and a path to it from each of them", () => {
    const hashes = Array.from({ length: 33 }, (_, n) => n.toString(16).padStart(64, "0"));
    for (let size = 1; size <= hashes.length; size += 1) {
      const leaves = hashes.slice(0, size).map(leafOf);
      const root = new MerkleRoot();
      for (const leaf of leaves) root.add(leaf);
      for (const [index, leaf] of leaves.entries()) {
        const path = pathOf(leaves, index);
        assert.equal(rootAlong(leaf, index, size, path), root.root(), `${index} of ${size}`);
        assert.notEqual(rootAlong(leaf, index + 1, size, path), root.root());
        assert.notEqual(rootAlong(leaf, index, size, [...path, hashes[0] as string]), root.root());
      }
    }
  });

  test("has the roots that others compute", () => {
    assert.equal(new MerkleRoot().root(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    const one = new MerkleRoot();
    one.add(leafOf("no hash"));
    // RFC 6962: the hash of an empty leaf.
    assert.equal(one.root(), "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
  });
});

describe("a proof of an event", () => {
  test("is good wherever the event stands, for this package and for a program without it", async () => {
    const sink = await log(7);
    for (const id of ["e1", "e4", "e7"]) {
      const proof = JSON.parse(JSON.stringify(await proveEvent(sink, id)));

      assert.equal(wrongInProof(proof, keys), undefined);
      assert.equal(checked(proof), "proved");
    }
  });

  test("is bad as soon as anything of it is changed", async () => {
    const proof = await proveEvent(await log(7), "e4");
    assert.ok(proof !== undefined);
    const { event, checkpoint, path } = proof;
    const other = await proveEvent(await log(7), "e4");
    const bad: readonly unknown[] = [
      { ...proof, event: { ...event, actor: "mallory" } },
      { ...proof, position: 5 },
      { ...proof, position: 99 },
      { ...proof, path: path.slice(1) },
      { ...proof, path: [...path.slice(1), path[0]] },
      { ...proof, path: [] },
      { ...proof, checkpoint: { ...checkpoint, root: "0".repeat(64) } },
      { ...proof, checkpoint: { ...checkpoint, signatures: {} } },
      { ...proof, checkpoint: { ...checkpoint, timestamp: "2020" } },
      { ...proof, checkpoint: { ...other?.checkpoint } },
    ];
    for (const [n, each] of bad.entries()) {
      assert.ok(wrongInProof(each, keys) !== undefined, String(n));
      // Each starts a program: one of each kind.
      if (n % 3 === 0) assert.match(checked(each), /^NOT PROVED/, String(n));
    }
    assert.match(checked(proof, generateSigningKey().publicKey), /another key/);
    for (const none of [undefined, null, 7, "x", [], {}, { format: "framework-audit-proof/2" }])
      assert.match(String(wrongInProof(none, keys)), /no proof of the form/);
  });

  test("does not exist before a checkpoint covers the event", async () => {
    const sink = await log(2);
    await sink.append({ id: "new", actor: "a", action: "b", target: "c" });

    assert.equal(await proveEvent(sink, "new"), undefined);
    assert.equal(await proveEvent(sink, "unknown"), undefined);
  });
});

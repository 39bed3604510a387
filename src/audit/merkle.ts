// Merkle trees of RFC 6962, section 2.1: a leaf is hashed behind a byte 0, a node behind a byte 1, and
// the left part of n leaves has the largest power of two below n.

import { createHash } from "node:crypto";

const hashed = (kind: 0 | 1, ...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash("sha256").update(Uint8Array.of(kind));
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** `hash` is that of an event, in hexadecimal. */
export const leafOf = (hash: string): Buffer => hashed(0, Buffer.from(hash, "hex"));

/** The root of leaves that come one by one; holds as many hashes as their count has bits. */
export class MerkleRoot {
  /** Complete trees, each at most half as large as the one before. */
  readonly #trees: { readonly root: Buffer; readonly size: number }[] = [];

  add(leaf: Buffer): void {
    let tree = { root: leaf, size: 1 };
    for (let left = this.#trees.at(-1); left?.size === tree.size; left = this.#trees.at(-1)) {
      this.#trees.pop();
      tree = { root: hashed(1, left.root, tree.root), size: left.size * 2 };
    }
    this.#trees.push(tree);
  }

  /** In hexadecimal; of no leaves the hash of nothing. */
  root(): string {
    const roots = this.#trees.map(({ root }) => root);
    const root =
      roots.length === 0
        ? createHash("sha256").digest()
        : roots.reduceRight((right, left) => hashed(1, left, right));
    return root.toString("hex");
  }
}

/** The hashes beside the way from a leaf to the root, the lowest first. */
export function pathOf(leaves: readonly Buffer[], index: number): readonly string[] {
  if (leaves.length <= 1) return [];
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)];
  return index < split
    ? [...pathOf(left, index), rootOf(right)]
    : [...pathOf(right, index - split), rootOf(left)];
}

function rootOf(leaves: readonly Buffer[]): string {
  const root = new MerkleRoot();
  for (const leaf of leaves) root.add(leaf);
  return root.root();
}

/** The root that a path leads to; undefined where it does not fit a tree of this size. */
export function rootAlong(
  leaf: Buffer,
  index: number,
  size: number,
  path: readonly string[],
): string | undefined {
  // RFC 9162, section 2.1.3.2.
  if (index >= size) return undefined;
  let [node, last] = [index, size - 1];
  let root = leaf;
  for (const step of path) {
    if (last === 0) return undefined;
    const beside = Buffer.from(step, "hex");
    if (node % 2 === 1 || node === last) {
      root = hashed(1, beside, root);
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)];
    } else root = hashed(1, root, beside);
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 ? root.toString("hex") : undefined;
}

// Merkle trees of RFC 6962, section 2.1: a leaf is hashed after a byte 0, a node after a byte 1. The
// left part of n leaves has the largest power of two below n.

import { hash as digest } from "node:crypto";

/** All hashes are in hexadecimal. */
const hashed = (kind: "00" | "01", left: string, right = ""): string =>
  digest("sha256", Buffer.from(kind + left + right, "hex"));

/** `hash` is that of an event. A forged text that is no hash gets a leaf of no signed tree. */
export const leafOf = (hash: string): string => hashed("00", /^[0-9a-f]{64}$/.test(hash) ? hash : "");

/** Computes the root of leaves added one by one; holds as many hashes as their count has bits. */
export class MerkleRoot {
  /** Complete trees, each at most half as large as the previous one. */
  readonly #trees: { readonly root: string; readonly size: number }[] = [];

  add(leaf: string): void {
    let tree = { root: leaf, size: 1 };
    for (let left = this.#trees.at(-1); left?.size === tree.size; left = this.#trees.at(-1)) {
      this.#trees.pop();
      tree = { root: hashed("01", left.root, tree.root), size: left.size * 2 };
    }
    this.#trees.push(tree);
  }

  /** Without leaves: the hash of the empty text. */
  root(): string {
    const roots = this.#trees.map(({ root }) => root);
    return roots.length === 0
      ? digest("sha256", "")
      : roots.reduceRight((right, left) => hashed("01", left, right));
  }
}

/** The sibling hashes on the path from a leaf to the root, the lowest first. */
export function pathOf(leaves: readonly string[], index: number): readonly string[] {
  if (leaves.length <= 1) return [];
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)];
  return index < split
    ? [...pathOf(left, index), rootOf(right)]
    : [...pathOf(right, index - split), rootOf(left)];
}

function rootOf(leaves: readonly string[]): string {
  const root = new MerkleRoot();
  for (const leaf of leaves) root.add(leaf);
  return root.root();
}

/** The root of a path; undefined if the path does not fit a tree of this size. */
export function rootAlong(
  leaf: string,
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
    if (node % 2 === 1 || node === last) {
      root = hashed("01", step, root);
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)];
    } else root = hashed("01", root, step);
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 ? root : undefined;
}

import type { Pattern } from "./pattern.js";

interface Node<T> {
  readonly statics: Map<string, Node<T>>;
  param: Node<T> | undefined;
  /** What matches when the path ends here. */
  leaf: T | undefined;
  /** What matches when any rest follows, an empty one too. */
  rest: T | undefined;
}

/**
 * Patterns by their segments. Static beats parameter beats rest at each segment,
 * from the left; where that leads nowhere the next best is tried. No node is
 * visited twice, so a request costs at most the size of the tree.
 */
export class RouteTree<T> {
  readonly #root: Node<T> = emptyNode();

  /** Answers what is there already where an equal pattern is. */
  add(pattern: Pattern, value: T): T | undefined {
    let node = this.#root;
    for (const segment of pattern.segments) {
      if (segment.kind === "rest") {
        const known = node.rest;
        node.rest ??= value;
        return known;
      }
      if (segment.kind === "param") node = node.param ??= emptyNode();
      else node = childOf(node, segment.text);
    }
    const known = node.leaf;
    node.leaf ??= value;
    return known;
  }

  find(segments: readonly string[]): T | undefined {
    return search(this.#root, segments, 0);
  }
}

const emptyNode = <T>(): Node<T> => ({
  statics: new Map(),
  param: undefined,
  leaf: undefined,
  rest: undefined,
});

function childOf<T>(node: Node<T>, text: string): Node<T> {
  let child = node.statics.get(text);
  if (child === undefined) {
    child = emptyNode();
    node.statics.set(text, child);
  }
  return child;
}

function search<T>(node: Node<T>, segments: readonly string[], at: number): T | undefined {
  const segment = segments[at];
  if (segment === undefined) return node.leaf;
  const fixed = node.statics.get(segment);
  if (fixed !== undefined) {
    const found = search(fixed, segments, at + 1);
    if (found !== undefined) return found;
  }
  if (node.param !== undefined && segment !== "") {
    const found = search(node.param, segments, at + 1);
    if (found !== undefined) return found;
  }
  return node.rest;
}

import type { Timeline } from "#core/timeline.js";

/** A node that was entered and not left. */
export interface OpenNode {
  readonly node: string;
  /** Since the run began. */
  readonly at_us: number;
}

/** The open nodes of one run, from the events of its Timeline, each read once. */
export class OpenNodes {
  /** In the order in which they were entered. */
  open: readonly OpenNode[] = [];
  #read = 0;

  /** Reads what is new, and calls `left` for each node that was left. */
  follow({ events, dropped }: Timeline, left: (node: OpenNode, at_us: number) => void): void {
    // Whatever is open may have been left by an event that was not kept.
    if (dropped > 0) {
      const lost = this.open;
      this.open = [];
      for (const node of lost) left(node, node.at_us);
      return;
    }
    const open = [...this.open];
    for (; this.#read < events.length; this.#read += 1) {
      const event = events[this.#read];
      if (event?.kind === "node_enter") open.push({ node: event.node, at_us: event.at_us });
      if (event?.kind !== "node_exit") continue;
      const at = open.findLastIndex(({ node }) => node === event.node);
      for (const node of at < 0 ? [] : open.splice(at, 1)) left(node, event.at_us);
    }
    this.open = open;
  }

  /** Those in which no other is open. */
  innermost(): readonly OpenNode[] {
    return this.open.filter((outer, at) => !this.open.slice(at + 1).some((inner) => isAround(outer, inner)));
  }
}

/** Ids of what is inside begin with the node's own (runtime/node-id.ts); a layer stands around all that follows. */
const isAround = (outer: OpenNode, inner: OpenNode): boolean =>
  inner.node.startsWith(`${outer.node}/`) || outer.node.includes(":layer/");

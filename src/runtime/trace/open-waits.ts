// What a traced run waits for outside its nodes: appends to its log, its lock. Only waits by a
// promise are recorded: else the events of a run would depend on the speed of its store.

import type { MaybePromise } from "#core/bus/outcome-types.js";
import type { TimelineEvent, WaitReason } from "#core/timeline/timeline.js";
import type { Untimed } from "../run/run-trace.js";

interface OpenWait {
  readonly reason: WaitReason;
  readonly node: string;
  readonly began: number;
}

interface Told {
  readonly now_us: number;
  tell(event: Untimed<TimelineEvent>): void;
}

export class OpenWaits {
  readonly #trace: Told;
  readonly #open = new Set<OpenWait>();

  constructor(trace: Told) {
    this.#trace = trace;
  }

  get nodes(): readonly string[] {
    return [...this.#open].map(({ node }) => node);
  }

  during<T>(reason: WaitReason, node: string, ask: () => MaybePromise<T>): MaybePromise<T> {
    const wait = { reason, node, began: this.#trace.now_us };
    const answer = ask();
    if (!(answer instanceof Promise)) return answer;
    this.#open.add(wait);
    return answer.finally(() => this.#over(wait));
  }

  /** The run ends while it waits, and the waits with it. */
  end(): void {
    for (const wait of this.#open) this.#over(wait);
  }

  #over(wait: OpenWait): void {
    if (!this.#open.delete(wait)) return;
    const { reason, node, began } = wait;
    this.#trace.tell({ kind: "waited", node, reason, waited_us: this.#trace.now_us - began });
  }
}

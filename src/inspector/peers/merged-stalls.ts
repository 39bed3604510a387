import { type Static, Type } from "@sinclair/typebox";

import { type Stalls as ShownStalls, Stall } from "../api/watching.js";
import type { Stalls } from "../stalls/stalls.js";
import { USER_WAIT_MS } from "./peer-timeouts.js";
import type { Peers } from "./peers.js";
import { subject } from "./subject.js";

const STALLS = subject<readonly Stall[]>("stalls", Type.Array(Stall));

/** The stalls of all processes of a service. Without peers, those of this process. */
export class MergedStalls {
  readonly #own: Stalls;
  readonly #peers: Peers | undefined;

  /** Also answers the peers' requests for this process's stalls. */
  constructor(own: Stalls, peers: Peers | undefined) {
    this.#own = own;
    this.#peers = peers;
    peers?.answers(STALLS.about, () => own.list());
  }

  /** The longest first. */
  async list(): Promise<Static<typeof ShownStalls>["data"]> {
    const asked = await this.#peers?.askAll(STALLS, null, { waitMs: USER_WAIT_MS });
    const others = (asked?.answers ?? []).flatMap(({ value }) => value);
    return {
      stalls: [...this.#own.list(), ...others].sort((one, other) => other.stalled_ms - one.stalled_ms),
      threshold_ms: this.#own.thresholdMs,
      workers_silent: asked?.silent ?? 0,
    };
  }
}

import type { Static } from "@sinclair/typebox";

import { type Unmatched as Shown, UnmatchedOnes, type UnmatchedQuery } from "../api/unmatched.js";
import { DEFAULT_LIMIT, type Unmatched } from "../unmatched/unmatched.js";
import { USER_WAIT_MS } from "./peer-timeouts.js";
import type { Peers } from "./peers.js";
import { subject } from "./subject.js";

const UNMATCHED = subject<UnmatchedOnes>("unmatched", UnmatchedOnes);

/** Unmatched requests of all processes of a service. */
export class MergedUnmatched {
  readonly #own: Unmatched;
  readonly #peers: Peers | undefined;

  /** Also answers the peers' requests for this process's unmatched requests. */
  constructor(own: Unmatched, peers: Peers | undefined) {
    this.#own = own;
    this.#peers = peers;
    peers?.answers(UNMATCHED.about, (query) => own.list(query as UnmatchedQuery));
  }

  /** The newest first. */
  async list(query: UnmatchedQuery): Promise<Static<typeof Shown>["data"]> {
    const asked = await this.#peers?.askAll(UNMATCHED, query, { waitMs: USER_WAIT_MS });
    const all = [this.#own.list(query), ...(asked?.answers ?? []).map(({ value }) => value)];
    return {
      requests: all
        .flatMap(({ requests }) => requests)
        .sort((one, other) => other.at - one.at)
        .slice(0, query.limit ?? DEFAULT_LIMIT),
      not_kept: all.reduce((sum, { not_kept }) => sum + not_kept, 0),
      workers_silent: asked?.silent ?? 0,
    };
  }
}

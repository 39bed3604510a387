// Carries out the requests to one host, each once.
//
//   HR1. A request for any host is taken in the store before it is begun: of two hosts one begins it.
//        A request that is begun is not begun again, also where its answer could not be kept: the
//        answer is tried again. If the host dies, the request stays unanswered.
//   HR2. A request is left to others that fit better at its first look here: by the second each of
//        them has read it, and what is left is what no host can do.

import type { Reporter } from "#core/bus/reporter.js";
import type { HostRequest, HostRequestStore } from "#core/ports/host-requests.js";
import type { Json } from "#core/wire/json-text.js";
import type { Heartbeat } from "./heartbeat.js";

/** What hosts can do. */
export interface Errand {
  /**
   * Whether this process can do it. A request for any host that it cannot do is left to others. `isLeft`:
   * they left it, too (HR2).
   */
  readonly fits: (request: HostRequest, isLeft: boolean) => Promise<boolean>;
  /** Resolves to the answer. */
  readonly run: (request: HostRequest) => Promise<Json>;
}

interface HostRequestsOptions {
  readonly host: string;
  readonly store: HostRequestStore;
  readonly errands: ReadonlyMap<string, Errand>;
  readonly mayBegin: () => boolean;
  readonly reporter: Reporter;
}

const PAGE = 100;

/** Reads them after each beat of the host. */
export function hearRequests(
  host: { readonly id: string; readonly heartbeat: Heartbeat },
  store: HostRequestStore,
  options: Omit<HostRequestsOptions, "host" | "store">,
): void {
  const requests = new HostRequests({ host: host.id, store, ...options });
  host.heartbeat.after.push(() => requests.look());
}

class HostRequests {
  readonly #of: HostRequestsOptions;
  /** Begun here, with the answer that is still to be kept. */
  readonly #begun = new Map<string, Json | undefined>();
  /** Open at the last look. */
  #seen: ReadonlySet<string> = new Set();

  constructor(of: HostRequestsOptions) {
    this.#of = of;
  }

  async look(): Promise<void> {
    const { host, store, mayBegin } = this.#of;
    for (const [id, answer] of this.#begun) if (answer !== undefined) await this.#answer(id, answer);
    if (!mayBegin()) return;
    const open = await store.open(host, PAGE);
    for (const request of open)
      if (!this.#begun.has(request.id) && mayBegin() && (await this.#isOurs(request))) this.#begin(request);
    this.#seen = new Set(open.map(({ id }) => id));
  }

  async #isOurs(request: HostRequest): Promise<boolean> {
    const { host, store, errands } = this.#of;
    if (request.host !== undefined) return true;
    const isLeft = this.#seen.has(request.id);
    // What cannot be read of one run holds up no other request: it is taken, and fails.
    const fits = await errands
      .get(request.kind)
      ?.fits(request, isLeft)
      .catch(() => isLeft);
    return fits === true && (await store.take(request.id, host));
  }

  #begin(request: HostRequest): void {
    const { errands, reporter } = this.#of;
    const { id, kind } = request;
    this.#begun.set(id, undefined);
    const errand = errands.get(kind);
    const running = errand?.run(request) ?? Promise.resolve({ kind: "refused", code: "KIND_UNKNOWN" });
    running
      .catch((error: unknown): Json => {
        const message = `Request '${id}' to this host, '${kind}', could not be carried out`;
        reporter({ code: "RUN_UNRESUMED", message, error });
        return { kind: "failed", reason: error instanceof Error ? error.message : String(error) };
      })
      .then((answer) => {
        this.#begun.set(id, answer);
        return this.#answer(id, answer);
      })
      // The next look tries again.
      .catch(() => {});
  }

  async #answer(id: string, answer: Json): Promise<void> {
    await this.#of.store.answer(id, this.#of.host, answer);
    this.#begun.delete(id);
  }
}

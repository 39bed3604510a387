// Looks at the files of the certificates again and again, and has them served when they
// have changed. It asks for their state rather than waiting to be told: what tells of
// changes misses symlinks that are exchanged above a file, and other machines' disks.
//
//   CW1. Files that were just written are left alone until they stay as they are from one
//        look to the next: a certificate is often there before its key.
//   CW2. What cannot be served changes nothing, is told of, and is tried again when the files
//        change again; and now and then without that: it may have begun to be valid, or what
//        was short may be there again.

import { type BigIntStats, stat } from "node:fs";

import type { Reporter } from "#core/reporter.js";
import { type Credentials, endingSoon, readCredentials } from "./credentials.js";
import type { TlsPlan } from "./tls-options.js";

const DAY_MS = 86_400_000;
/** Not more often: each app that was made and could not listen leaves memory of the engine behind. */
const RETRY_MS = 3_600_000;

export interface WatchOptions {
  readonly plan: TlsPlan;
  /** What is served now. */
  readonly served: Credentials;
  /**
   * Serves others from now on. Rejects where it cannot, and answers false where the files
   * changed meanwhile: those before are served then.
   */
  readonly serve: (credentials: Credentials) => Promise<boolean>;
  readonly reporter: Reporter;
  /** Milliseconds of 1970. Tests pass their own. */
  readonly now?: () => number;
}

export class CertificateWatch {
  readonly #options: WatchOptions;
  readonly #now: () => number;
  #served: Credentials;
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;
  #warnedAt = Number.NEGATIVE_INFINITY;
  /** What the files were like when they were last read, and at the last look. */
  #readAs: string | undefined;
  #seenAs: string | undefined;
  /** When they could not be served, as they are now; infinity where they could. */
  #failedAt = Number.POSITIVE_INFINITY;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#served = options.served;
    for (const message of options.served.doubts) options.reporter({ code: "TLS_DOUBTFUL", message });
    this.#warnOfEnd();
    this.#wait();
  }

  end(): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
  }

  #wait(): void {
    if (this.#hasEnded) return;
    const look = (): void => void this.#look().finally(() => this.#wait());
    this.#timer = setTimeout(look, this.#options.plan.checkEveryMs).unref();
  }

  async #look(): Promise<void> {
    this.#warnOfEnd();
    const state = await stateOf(this.#options.plan);
    const isSettled = state === this.#seenAs;
    this.#seenAs = state;
    const isRetry = this.#now() - this.#failedAt >= RETRY_MS;
    if (!isSettled || (state === this.#readAs && !isRetry) || this.#hasEnded) return;
    this.#readAs = state;
    this.#failedAt = Number.POSITIVE_INFINITY;
    try {
      if (!(await this.#reload())) this.#readAs = undefined;
    } catch (error) {
      // Written while they were read: what they are now is read once it stays so (CW1).
      if ((await stateOf(this.#options.plan)) !== state) return;
      this.#failedAt = this.#now();
      const message = `The certificate was not changed, and the one before is served: ${(error as Error).message}`;
      this.#options.reporter({ code: "TLS_RELOAD_FAILED", message });
    }
  }

  /** Whether the files are read for now. */
  async #reload(): Promise<boolean> {
    const { plan, serve, reporter } = this.#options;
    const read = await readCredentials(plan, this.#now());
    if (read.digest === this.#served.digest || this.#hasEnded) return true;
    if (!(await serve(read))) return false;
    this.#served = read;
    const files = plan.pairs.map(({ cert }) => cert).join(", ");
    reporter({ code: "TLS_RELOADED", message: `New connections get the changed certificates of ${files}` });
    for (const message of read.doubts) reporter({ code: "TLS_DOUBTFUL", message });
    this.#warnedAt = Number.NEGATIVE_INFINITY;
    this.#warnOfEnd();
    return true;
  }

  #warnOfEnd(): void {
    const now = this.#now();
    if (now - this.#warnedAt < DAY_MS) return;
    this.#warnedAt = now;
    for (const message of endingSoon(this.#served, now))
      this.#options.reporter({ code: "TLS_EXPIRING", message });
  }
}

/** What the files are like, without reading them: another text whenever any is written or exchanged. */
async function stateOf({ pairs }: TlsPlan): Promise<string> {
  const files = pairs.flatMap(({ cert, key }) => [cert, key]);
  return (await Promise.all(files.map(stateOfFile))).join(" ");
}

const stateOfFile = (file: string): Promise<string> =>
  new Promise((resolve) => {
    stat(file, { bigint: true }, (error, stats: BigIntStats) =>
      resolve(
        error === null
          ? `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`
          : String(error.code),
      ),
    );
  });

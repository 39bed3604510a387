// Polls the files of certificates and serves changed ones: notifications miss symlinks exchanged
// above a file, and disks of other machines. Files are read once they stay the same for two
// looks: a certificate often comes before its key. After a failure the previous certificates
// stay, and the files are tried again when they change, and from time to time.

import { stat } from "node:fs/promises";

import type { Reporter } from "#core/bus/reporter.js";
import { type Credentials, endingSoon, readCredentials } from "./credentials.js";
import type { TlsPlan } from "./tls-options.js";

const DAY_MS = 86_400_000;
/** Each app that could not listen leaks memory of the engine. */
const RETRY_MS = 3_600_000;

export interface WatchOptions {
  readonly plan: TlsPlan;
  readonly served: Credentials;
  /** Resolves to false where the files changed meanwhile; the previous credentials stay then, and where it rejects. */
  readonly serve: (credentials: Credentials) => Promise<boolean>;
  readonly reporter: Reporter;
  /** Milliseconds since 1970. For tests. */
  readonly now?: () => number;
}

export class CertificateWatch {
  readonly #options: WatchOptions;
  readonly #now: () => number;
  #served: Credentials;
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;
  #warnedAt = Number.NEGATIVE_INFINITY;
  /** State of the files at the last reading, and at the last look. */
  #readAs: string | undefined;
  #seenAs: string | undefined;
  /** When these files failed; infinity where they did not. */
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
      // Changed while they were read.
      if ((await stateOf(this.#options.plan)) !== state) return;
      this.#failedAt = this.#now();
      const message = `The certificate was not changed, and the one before is served: ${(error as Error).message}`;
      this.#options.reporter({ code: "TLS_RELOAD_FAILED", message });
    }
  }

  /** False where the files changed meanwhile. */
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

/** Changes whenever a file is written or exchanged. */
async function stateOf({ pairs }: TlsPlan): Promise<string> {
  const files = pairs.flatMap(({ cert, key }) => [cert, key]);
  return (await Promise.all(files.map(stateOfFile))).join(" ");
}

const stateOfFile = (file: string): Promise<string> =>
  stat(file, { bigint: true }).then(
    ({ dev, ino, size, mtimeNs, ctimeNs }) => `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`,
    (error: NodeJS.ErrnoException) => String(error.code),
  );

// Polls the certificate files and serves changed ones. File notifications miss replaced symlinks in
// the path, and network file systems. Files are read after two polls without a change, because a
// certificate is often written before its key. After a failure the previous certificates stay in
// use; the files are read again when they change, and every RETRY_MS.

import { stat } from "node:fs/promises";

import type { Reporter } from "#core/bus/reporter.js";
import { type Credentials, endingSoon, readCredentials } from "./credentials.js";
import type { TlsPlan } from "./tls-options.js";

const DAY_MS = 86_400_000;
/** Long, because each app that fails to listen leaks memory of the engine. */
const RETRY_MS = 3_600_000;

export interface WatchOptions {
  readonly plan: TlsPlan;
  readonly served: Credentials;
  /** Resolves to false if the files changed meanwhile. The previous credentials stay in use then, and if it rejects. */
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
  /** State of the files when they were last read. */
  #readAs: string | undefined;
  /** State of the files at the last poll. */
  #seenAs: string | undefined;
  /** Time of the failure of these files; infinity without one. */
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
      // The files changed during the read.
      if ((await stateOf(this.#options.plan)) !== state) return;
      this.#failedAt = this.#now();
      const message = `The certificate was not changed, and the one before is served: ${(error as Error).message}`;
      this.#options.reporter({ code: "TLS_RELOAD_FAILED", message });
    }
  }

  /** Resolves to false if the files changed meanwhile. */
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

/** A text that changes whenever a file is written or replaced. */
async function stateOf({ pairs }: TlsPlan): Promise<string> {
  const files = pairs.flatMap(({ cert, key }) => [cert, key]);
  return (await Promise.all(files.map(stateOfFile))).join(" ");
}

const stateOfFile = (file: string): Promise<string> =>
  stat(file, { bigint: true }).then(
    ({ dev, ino, size, mtimeNs, ctimeNs }) => `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`,
    (error: NodeJS.ErrnoException) => String(error.code),
  );

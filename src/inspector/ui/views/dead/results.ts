import type { RedrivenData } from "../../client/api.js";

interface Result {
  readonly name: string;
  readonly why?: string;
}

/** Texts for the results of a re-drive. */
export const RESULTS: Readonly<Record<RedrivenData["result"], Result>> = {
  done: { name: "done" },
  failed: { name: "failed again" },
  busy: { name: "busy", why: "running elsewhere" },
  running: { name: "running", why: "still running, or held" },
};

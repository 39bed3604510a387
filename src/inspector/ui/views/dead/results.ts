import type { RedrivenData } from "../../client/api.js";

/** What came of doing it again, in words. */
export const RESULTS: Readonly<Record<RedrivenData["result"], string>> = {
  done: "done",
  failed: "failed again",
  busy: "busy: it is being done elsewhere",
  running: "running: it takes long, or is held",
};

import { pendingOf } from "./answers.js";

/** Calls what must not harm whoever calls it: what it throws or rejects with goes to `failed`. */
export function guarded(call: () => unknown, failed: (error: unknown) => void): void {
  try {
    pendingOf(call())?.catch(failed);
  } catch (error) {
    failed(error);
  }
}

// Asks an authorisation server for a JSON object, and believes nothing of the answer's size,
// speed or form.
//
// - The time limit and the bound hold until the body's last byte, unpacked.
// - Redirects are not followed: they would lead where nobody has checked.
// - What it throws says what went wrong, and quotes neither what was sent nor what came back.

import type { Clock } from "#core/clock.js";
import { type JsonMembers, jsonObjectOf } from "./strict-json.js";

export interface EndpointLimits {
  /** Milliseconds from the call to the answer's last byte. */
  readonly timeoutMs: number;
  /** Largest answer in bytes, unpacked. */
  readonly maxBytes: number;
  readonly clock: Clock;
}

export interface JsonAnswer {
  readonly status: number;
  readonly members: JsonMembers;
  readonly headers: Headers;
}

/** Rejects with an Error where the answer has none of the statuses, is no JSON object, too large or too late. */
export async function askForJson(
  url: URL,
  init: RequestInit,
  limits: EndpointLimits,
  statuses: readonly number[] = [200],
): Promise<JsonAnswer> {
  const { timeoutMs, maxBytes, clock } = limits;
  const controller = new AbortController();
  let isOver = false;
  const cancel = clock.after(timeoutMs, () => {
    isOver = true;
    controller.abort();
  });
  try {
    const response = await fetch(url, { ...init, redirect: "manual", signal: controller.signal });
    const { status, headers } = response;
    if (!statuses.includes(status)) throw new Error(`it answered ${status}`);
    const members = jsonObjectOf(await bytesOf(response, maxBytes));
    if (typeof members === "string") throw new Error(`what it answered ${members}`);
    return { status, members, headers };
  } catch (error) {
    if (isOver) throw new Error(`it was not done in ${timeoutMs} ms`);
    throw new Error(reasonOf(error), { cause: error });
  } finally {
    cancel();
    // What nobody reads is not sent either. After the last byte this does nothing.
    controller.abort();
  }
}

// One buffer that grows, not a list of pieces: of a byte each they would weigh a hundred times as much.
async function bytesOf(response: Response, maxBytes: number): Promise<Buffer> {
  let held = Buffer.allocUnsafe(Math.min(maxBytes, 16_384));
  let size = 0;
  for await (const piece of response.body ?? []) {
    const end = size + piece.length;
    if (end > maxBytes) throw new Error(`its answer is larger than ${maxBytes} bytes`);
    if (end > held.length) held = Buffer.concat([held], Math.min(maxBytes, Math.max(end, held.length * 2)));
    held.set(piece, size);
    size = end;
  }
  return held.subarray(0, size);
}

/** What undici hides behind "fetch failed". */
function reasonOf(error: unknown): string {
  const { cause = error } = error as { readonly cause?: unknown };
  if (!(cause instanceof Error)) return "it could not be asked";
  return cause.message || String((cause as NodeJS.ErrnoException).code);
}

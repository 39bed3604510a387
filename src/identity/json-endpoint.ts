// Requests a JSON object from an authorisation server. Does not trust the size, speed or form of
// the response.
//
// - The time limit and the size limit apply up to the last byte of the decompressed body.
// - Redirects are not followed: their targets are not validated.
// - Errors describe the failure, and quote neither the request nor the response.

import type { Clock } from "#core/clock.js";
import { type JsonMembers, jsonObjectOf } from "./strict-json.js";

export interface EndpointLimits {
  /** Time limit from the call to the last byte of the response, in milliseconds. */
  readonly timeoutMs: number;
  /** Maximum size of a decompressed response, in bytes. */
  readonly maxBytes: number;
  readonly clock: Clock;
}

export interface JsonAnswer {
  readonly status: number;
  readonly members: JsonMembers;
  readonly headers: Headers;
}

/** Rejects with an Error if the status is not listed, or the body is no JSON object, too large or too late. */
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
    // Stops the transfer of an unread body. No effect after the last byte.
    controller.abort();
  }
}

// One growing buffer, not a list of chunks: one-byte chunks would take a hundred times the memory.
async function bytesOf(response: Response, maxBytes: number): Promise<Buffer> {
  let held = Buffer.allocUnsafe(Math.min(maxBytes, 16_384));
  let size = 0;
  for await (const piece of response.body ?? []) {
    const end = size + piece.length;
    // hole: a key server could fill the memory
    if (end > maxBytes) throw new Error(`its answer is larger than ${maxBytes} bytes`);
    if (end > held.length) held = Buffer.concat([held], Math.min(maxBytes, Math.max(end, held.length * 2)));
    held.set(piece, size);
    size = end;
  }
  return held.subarray(0, size);
}

/** The reason that undici hides behind "fetch failed". */
function reasonOf(error: unknown): string {
  const { cause = error } = error as { readonly cause?: unknown };
  if (!(cause instanceof Error)) return "it could not be asked";
  return cause.message || String((cause as NodeJS.ErrnoException).code);
}

/** Overhead of a queued message: without it, empty messages would cost nothing. */
const OVERHEAD_BYTES = 128;

/** Maximum size of a queued message to a room. */
export const roomBytes = (topic: string, message: string | Uint8Array): number =>
  OVERHEAD_BYTES + 2 * topic.length + (typeof message === "string" ? 2 * message.length : message.byteLength);

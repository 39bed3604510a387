/** What a message costs beside its text and bytes while it waits: without it, empty ones would cost nothing. */
const OVERHEAD_BYTES = 128;

/** What a message to a room takes while it waits, at the most. */
export const roomBytes = (topic: string, message: string | Uint8Array): number =>
  OVERHEAD_BYTES + 2 * topic.length + (typeof message === "string" ? 2 * message.length : message.byteLength);

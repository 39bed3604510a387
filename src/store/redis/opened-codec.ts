import type { Codec } from "#core/ports/codec.js";

/** Opens the codec at the first call, and again after a failure. */
export function openedOnce(codec: Codec): () => Promise<void> {
  let opening: Promise<void> | undefined;
  return () => {
    opening ??= (async () => codec.open?.())().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
}

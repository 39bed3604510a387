import type { Extension, ExtensionSource } from "#http/serving/extension.js";

/** An extension whose code is there from the beginning. */
export const loadedExtension = (make: () => Extension): ExtensionSource => ({ load: () => undefined, make });

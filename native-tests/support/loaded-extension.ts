import type { Extension } from "#http/plan/extension.js";
import type { ExtensionSource } from "#http/plan/ingress-plan.js";

/** An extension whose code is there from the beginning. */
export const loadedExtension = (make: () => Extension): ExtensionSource => ({ load: () => undefined, make });

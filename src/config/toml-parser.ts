import { createRequire } from "node:module";
import type * as Toml from "smol-toml";

// Loaded with the first framework.toml: programs without one do not pay for it.
const require = createRequire(import.meta.url);

export const tomlParser = (): typeof Toml => require("smol-toml") as typeof Toml;

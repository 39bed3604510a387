import { createRequire } from "node:module";
import type * as Toml from "smol-toml";

// Loaded at the first framework.toml: a program that has none does not pay for it.
const require = createRequire(import.meta.url);

export const tomlParser = (): typeof Toml => require("smol-toml") as typeof Toml;

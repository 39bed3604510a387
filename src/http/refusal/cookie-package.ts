import { createRequire } from "node:module";
import type * as Cookie from "cookie";

const require = createRequire(import.meta.url);

/** Loads the package `cookie` at its first use. */
export const cookiePackage = (): typeof Cookie => require("cookie");

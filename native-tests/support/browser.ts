import type { Browser } from "playwright-core";

import { needsCodeGeneration } from "./code-generation.js";
import { findProgram, skipWithout } from "./debian-program.js";

/** For a test's `skip`. What drives the browser makes code from texts. */
export const skipWithoutBrowser: string | false = skipWithout("chromium") || needsCodeGeneration;

/** Debian's Chromium, which asks nobody outside for anything. Whoever launches it closes it. */
export async function launchBrowser(): Promise<Browser> {
  // Loaded here, so that a machine without a browser need not load it.
  const { chromium } = await import("playwright-core");
  return chromium.launch({
    executablePath: findProgram("chromium") as string,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
    timeout: 60_000,
  });
}

import { FrameworkConfig } from "#config/config.js";
import { explain, explained } from "#config/explain.js";
import type { Given, Surroundings } from "../terminal/command.js";

/** Mistakes of the configuration are thrown as one ConfigError. */
export function configExplain(given: Given, { out }: Surroundings): number {
  const file = given.text("file");
  const config = FrameworkConfig.load(file === undefined ? {} : { file });
  out(given.flag("json") ? `${JSON.stringify(explained(config), null, 2)}\n` : explain(config));
  return 0;
}

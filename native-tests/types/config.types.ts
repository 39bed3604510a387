// Compiled, never run.

import type { FrameworkConfig } from "#config/config.js";
import type { Secret } from "#core/secrets/secret.js";

declare const config: FrameworkConfig;

export const port: number = config.server.port;
export const workers: number | "auto" = config.server.workers;
export const proxies: readonly string[] = config.server.trustedProxies;
export const format: "json" | "pretty" | "compact" = config.logging.format;
export const runs: Secret<string> = config.persistence.url;
export const operator: Secret<string> | undefined = config.inspector.bearerToken;

// @ts-expect-error a secret is no text: whoever needs the text says reveal()
export const text: string = config.persistence.url;
// @ts-expect-error an unset address is undefined
export const cache: Secret<string> = config.redis.url;
// @ts-expect-error there is no such key
export const colour = config.server.colour;
// @ts-expect-error a configuration is frozen
config.server.port = 1;

declare const facade: import("framework").FrameworkConfig;

export const log: import("framework").LogWriter = facade.initLogging().module("store");
log.info({ rows: 3 }, "%d rows", 3);
log.warn("only a message");
// @ts-expect-error fields are an object
log.info(3);
// @ts-expect-error the configuration that only holds data has no log: the facade's has
config.initLogging();

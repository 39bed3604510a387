// The table of all configuration keys. The readers of the file and of variables, the JSON Schema, the
// commented framework.toml, `explain` and the documentation derive from it.

import type { Key } from "./key.js";
import { pool } from "./pool-keys.js";
import { server, tls } from "./server-keys.js";
import { audit, persistence, redis } from "./store-keys.js";
import { inspector, logging, telemetry } from "./watching-keys.js";

export const sections = { server, tls, logging, telemetry, inspector, pool, persistence, audit, redis };

type Sections = typeof sections;

/** The values of one section, as the program reads them. */
export type Section<S extends keyof Sections> = {
  readonly [K in keyof Sections[S]]: Sections[S][K] extends Key<infer T> ? T : never;
};

/** A key with its names. */
export interface NamedKey extends Key {
  /** In TypeScript: `server`, `bodyLimitBytes`. */
  readonly section: keyof Sections;
  readonly property: string;
  /** In the file: `server.body_limit_bytes`. */
  readonly path: string;
  /** In the section: `body_limit_bytes`. */
  readonly name: string;
  /** FRAMEWORK_SERVER_BODY_LIMIT_BYTES */
  readonly variable: string;
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);

/** In the order of the documentation. */
export const keys: readonly NamedKey[] = Object.entries(sections).flatMap(([section, inner]) =>
  Object.entries<Key>(inner).map(([property, key]) => {
    const name = snakeCase(property);
    const path = `${section}.${name}`;
    const variable = `FRAMEWORK_${path.replace(".", "_").toUpperCase()}`;
    return { ...key, section: section as keyof Sections, property, path, name, variable };
  }),
);

export const keyByPath: ReadonlyMap<string, NamedKey> = new Map(keys.map((key) => [key.path, key]));

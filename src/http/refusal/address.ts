import { isSocketPath, MAX_SOCKET_PATH_BYTES } from "#core/net/socket-path.js";
import { configInvalid } from "./option-checks.js";

export type Address =
  | { readonly kind: "tcp"; readonly host: string; readonly port: number }
  | { readonly kind: "unix"; readonly path: string };

const FORMS = "use 'host:port', '[v6]:port' or 'unix:path', port 0 to 65535";

/** Reads `host:port`, `[v6]:port` or `unix:path`. Throws CONFIG_INVALID. */
export function parseAddress(text: string): Address {
  if (typeof text !== "string") return refuse(text, FORMS);
  if (text.startsWith("unix:")) {
    const path = text.slice("unix:".length);
    if (isSocketPath(path)) return { kind: "unix", path };
    return refuse(text, `the path must have 1 to ${MAX_SOCKET_PATH_BYTES} bytes`);
  }
  const parts = /^(?:\[([0-9A-Fa-f:.%]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text);
  const host = parts?.[1] ?? parts?.[2];
  const port = Number(parts?.[3]);
  if (host === undefined || port > 65_535) return refuse(text, FORMS);
  return { kind: "tcp", host, port };
}

/** For URLs and messages. */
export const formatHostPort = (host: string, port: number): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;

function refuse(text: string, why: string): never {
  throw configInvalid(`Address '${text}': ${why}`);
}

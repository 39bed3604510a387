// URLs of Redis: what they may say, checked before anything is opened.

import { FrameworkError } from "#core/errors.js";
import { shownUrl } from "#core/wire/shown-url.js";

export interface RedisUrl {
  readonly shown: string;
  readonly host: string;
  readonly port: number;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly db: number;
  readonly tls: { readonly rejectUnauthorized: boolean; readonly ca?: string } | undefined;
  /** Of all keys: `[a-z0-9:_-]{1,40}`. */
  readonly prefix: string;
}

/** `service` is the default prefix. Throws CONFIG_INVALID. No message shows a password. */
export function redisUrl(text: string, service: string | undefined): RedisUrl {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^rediss?:$/.test(url.protocol))
    throw new FrameworkError("CONFIG_INVALID", "openStores: its redis is no redis:// or rediss:// URL");
  const given = (value: string): string | undefined => (value === "" ? undefined : decodeURIComponent(value));
  return {
    shown: shownUrl(text),
    host: url.hostname,
    port: Number(url.port || 6379),
    username: given(url.username),
    password: given(url.password),
    db: Number(url.pathname.slice(1) || 0),
    tls: url.protocol === "rediss:" ? { rejectUnauthorized: true } : undefined,
    prefix: url.searchParams.get("prefix") ?? service ?? "framework",
  };
}

import { Axon, Type } from "framework";
import type { TestRequest } from "framework/http";
import { CorsGuard } from "framework/std";

export const APP = "https://app.example";
export const EVIL = "https://evil.example";

export const hello = Axon.start("hello").thenFn("hello", () => "hello");
const Item = Type.Object({ id: Type.String() });
export const item = Axon.start("item", Item).thenFn("keep", (value) => value);

export const shared = () =>
  new CorsGuard({
    allowedOrigins: [APP, "https://*.staging.example"],
    allowedMethods: ["GET", "POST"],
    allowedHeaders: ["content-type"],
    exposedHeaders: ["x-total"],
    allowCredentials: true,
  });

export const granted = (origin: string) => ({
  "access-control-allow-origin": origin,
  "access-control-allow-credentials": "true",
  "access-control-expose-headers": "x-total",
});
export const grantedPreflight = (origin: string) => ({
  "access-control-allow-origin": origin,
  "access-control-allow-credentials": "true",
  "access-control-allow-methods": "GET, POST",
  "access-control-allow-headers": "content-type",
  "access-control-max-age": "86400",
});

/** Those of CORS alone. */
export const corsOf = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("access-control-")));
export const variesByOrigin = (headers: Readonly<Record<string, string>>) =>
  (headers["vary"] ?? "").split(/, ?/).includes("Origin");

export const asking = (origin: string, method = "POST", headers = "content-type"): TestRequest => ({
  headers: {
    origin,
    "access-control-request-method": method,
    ...(headers && { "access-control-request-headers": headers }),
  },
});

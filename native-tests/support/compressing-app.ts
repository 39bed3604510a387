// Ingresses with compressionLayer(), in process.

import { Axon, Framework } from "framework";
import { type CompressionOptions, TestApp } from "framework/http";

export const TEXT = "all work and no play makes a dull answer. ".repeat(100);
export const LONG = TEXT.repeat(20);
export const BROWSER = { "accept-encoding": "gzip, deflate, br, zstd" };
export const GZIP = { "accept-encoding": "gzip" };

export const answering = (answer: () => unknown) => Axon.start("page").thenFn("answer", answer);

/** One route at `/` that answers this. */
export function app(answer: () => unknown, options?: CompressionOptions) {
  return new TestApp(Framework.http().compressionLayer(options).get("/", answering(answer)));
}

export const seen = ({ headers }: { readonly headers: Readonly<Record<string, string>> }) => [
  headers["content-encoding"],
  headers["vary"],
];

export const PLAIN = [undefined, "accept-encoding"];
export const ALONE = [undefined, undefined];

/** So that a test can take the calls apart. */
export function bound(test: TestApp<never>) {
  return { get: test.get.bind(test), head: test.head.bind(test) };
}

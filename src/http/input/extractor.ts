// Declarations of a route's input, compiled by extraction.ts.

import type { Static, TObject, TSchema } from "@sinclair/typebox";
import type { BusKey } from "#core/bus/bus-key.js";
import { cookie as cookieKey, header as headerKey } from "#core/facts/ingress-facts.js";
import type { ByteStream } from "../exchange/body-stream.js";
import type { FilesByName } from "./multipart/named-files.js";
import type { MultipartOptions } from "./multipart/options.js";
import type { DiskFile, MemoryFile, Multipart } from "./multipart/uploaded-file.js";

declare const extracted: unique symbol;

/** Makes a value of type `T` from a request. The functions below create extractors. */
export interface Extractor<out T> {
  /** @internal */
  readonly part: Part;
  readonly [extracted]?: () => T;
}

export type Part =
  | { readonly kind: "json"; readonly schema: TSchema }
  | { readonly kind: "path"; readonly schema: TObject }
  | { readonly kind: "query"; readonly schema: TObject }
  /** Path and query in one flat object; the path wins. */
  | { readonly kind: "parameters"; readonly schema: TObject }
  | { readonly kind: "header"; readonly schema: TObject }
  | { readonly kind: "cookie"; readonly schema: TObject }
  | { readonly kind: "form"; readonly schema: TObject }
  | { readonly kind: "text" }
  | { readonly kind: "bytes" }
  | { readonly kind: "multipart"; readonly options: MultipartOptions }
  | { readonly kind: "stream" }
  | { readonly kind: "combine"; readonly parts: Readonly<Record<string, Part>> };

/** The type that an extractor makes. */
export type ExtractedOf<X> = X extends { readonly [extracted]?: () => infer T } ? T : never;

/** The body as JSON that fits the schema: `application/json` or any `+json`, in UTF-8. */
export const json = <S extends TSchema>(schema: S): Extractor<Static<S>> => ({
  part: { kind: "json", schema },
});

/** The parameters of the path, coerced to their schema. */
export const path = <S extends TObject>(schema: S): Extractor<Static<S>> => ({
  part: { kind: "path", schema },
});

/** The parameters of the query, coerced to their schema. A repeated parameter is a list. */
export const query = <S extends TObject>(schema: S): Extractor<Static<S>> => ({
  part: { kind: "query", schema },
});

/**
 * With a name: the key of one request header, for steps. With a schema: an extractor of the headers
 * it names, case-insensitive: `header(Type.Object({ "x-count": Type.Integer() }))`. A list is
 * written with commas or as several headers. An empty header counts as absent, unless its schema or
 * its RFC (such as If-Match) makes it a list.
 */
export function header<const Name extends string>(name: Name): BusKey<string, `header:${Lowercase<Name>}`>;
export function header<S extends TObject>(schema: S): Extractor<Static<S>>;
export function header(of: string | TObject): unknown {
  return typeof of === "string" ? headerKey(of) : { part: { kind: "header", schema: of } };
}

/** With a name: the key of one cookie, for steps. With a schema: an extractor of the cookies it names. */
export function cookie<const Name extends string>(name: Name): BusKey<string, `cookie:${Name}`>;
export function cookie<S extends TObject>(schema: S): Extractor<Static<S>>;
export function cookie(of: string | TObject): unknown {
  return typeof of === "string" ? cookieKey(of) : { part: { kind: "cookie", schema: of } };
}

/**
 * The body as a form that fits the schema: `application/x-www-form-urlencoded` in UTF-8, at most
 * 1000 fields. A repeated field is a list, as is `tags[]`. `user[name]` is a property of `user`, up
 * to 5 levels deep.
 */
export const form = <S extends TObject>(schema: S): Extractor<Static<S>> => ({
  part: { kind: "form", schema },
});

/** The body as text in UTF-8, of any content type; "" without one. */
export const text = (): Extractor<string> => ({ part: { kind: "text" } });

/** The body's bytes, of any content type. */
export const bytes = (): Extractor<Uint8Array> => ({ part: { kind: "bytes" } });

type FieldsOf<O> = O extends { readonly schema: infer S extends TObject }
  ? Static<S>
  : Readonly<Record<string, string | readonly string[]>>;
type StoredFile<O> = O extends { readonly store: "disk" } ? DiskFile : MemoryFile;
type NamedFile<O> = O extends { readonly multiple: true }
  ? readonly StoredFile<O>[]
  : O extends { readonly required: true }
    ? StoredFile<O>
    : StoredFile<O> | undefined;
type FilesOf<O> = O extends { readonly files: infer F }
  ? F extends "disk"
    ? DiskFile
    : F extends FilesByName
      ? { readonly [Name in keyof F]: NamedFile<F[Name]> }
      : MemoryFile
  : MemoryFile;

/**
 * The body as a form with files: `multipart/form-data`. A malformed body is refused with 400, one
 * above a limit with 413. With `files: { picture: { required: true } }` the input has `files.picture`;
 * else `files` is a list. Files are kept in memory or on disk until the run ends.
 */
export const multipart = <const O extends MultipartOptions = Readonly<Record<never, never>>>(
  options?: O,
): Extractor<Multipart<FieldsOf<O>, FilesOf<O>>> => ({
  part: { kind: "multipart", options: options ?? {} },
});

/**
 * The body's bytes as they arrive, of any content type: `for await (const piece of body)`, or
 * `await pipeline(body, writable)`, with backpressure. Rejects if the body is incomplete or
 * refused, and after the run.
 */
export const stream = (): Extractor<ByteStream> => ({
  part: { kind: "stream" },
});

/** Combines extractors: `combine({ id: path(Id), order: json(Order) })`. At most one may read the body. */
export const combine = <const X extends Readonly<Record<string, Extractor<unknown>>>>(
  extractors: X,
): Extractor<{ readonly [K in keyof X]: ExtractedOf<X[K]> }> => {
  const parts = Object.entries(extractors).map(([name, { part }]) => [name, part] as const);
  return { part: { kind: "combine", parts: Object.fromEntries(parts) } };
};

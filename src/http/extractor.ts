// What a route takes its input from, as declarations. extraction.ts compiles them.

import type { Static, TObject, TSchema } from "@sinclair/typebox";

declare const extracted: unique symbol;

/** Makes a value of type `T` of a request. Made by the functions below. */
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
  | { readonly kind: "text" }
  | { readonly kind: "bytes" }
  | { readonly kind: "combine"; readonly parts: Readonly<Record<string, Part>> };

/** The type an extractor makes. */
export type ExtractedOf<X> = X extends { readonly [extracted]?: () => infer T } ? T : never;

/** The body as JSON that fits the schema: `application/json` or any `+json`, in UTF-8. */
export const json = <S extends TSchema>(schema: S): Extractor<Static<S>> => ({
  part: { kind: "json", schema },
});

/** The parameters of the path, read as their schema says. */
export const path = <S extends TObject>(schema: S): Extractor<Static<S>> => ({
  part: { kind: "path", schema },
});

/** The parameters of the query, read as their schema says. A repeated one is a list. */
export const query = <S extends TObject>(schema: S): Extractor<Static<S>> => ({
  part: { kind: "query", schema },
});

/** The body as text in UTF-8, whatever its content type; "" where there is none. */
export const text = (): Extractor<string> => ({ part: { kind: "text" } });

/** The body's bytes, whatever its content type; none where there is none. */
export const bytes = (): Extractor<Uint8Array> => ({ part: { kind: "bytes" } });

/** Several at once: `combine({ id: path(Id), order: json(Order) })`. At most one reads the body. */
export const combine = <const X extends Readonly<Record<string, Extractor<unknown>>>>(
  extractors: X,
): Extractor<{ readonly [K in keyof X]: ExtractedOf<X[K]> }> => {
  const parts = Object.entries(extractors).map(([name, { part }]) => [name, part] as const);
  return { part: { kind: "combine", parts: Object.fromEntries(parts) } };
};

import { routeInvalid } from "../refusal/option-checks.js";

type PatternSegment =
  | { readonly kind: "static"; readonly text: string }
  | { readonly kind: "param"; readonly name: string }
  /** The rest of the path; must be the last segment. */
  | { readonly kind: "rest"; readonly name: string };

export interface Pattern {
  readonly text: string;
  readonly segments: readonly PatternSegment[];
  /** Parameter names, in the order of the path. */
  readonly names: readonly string[];
  /** Segment indexes of the parameters. */
  readonly positions: readonly number[];
  /** True if `%2F` is a slash of its rest parameter, and the rest has no empty or dotted segment. */
  readonly takesEncodedSlashes: boolean;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses them
const UNFIT_TEXT = /[%?#\\*:{}\x00-\x20\x7f]/;

/** The text that a literal segment, or a path of such, stands for: a colon is written twice. */
export const literalText = (written: string): string => written.replaceAll("::", ":");

/** Parses a path pattern such as `/a/:id/*rest`. Throws ROUTE_INVALID. */
export function parsePattern(text: string, takesEncodedSlashes = false): Pattern {
  const refuse = (why: string): never => {
    throw routeInvalid(`Path '${text}': ${why}`);
  };
  if (!text.startsWith("/")) refuse("begin it with '/'");
  const parts = text.slice(1).split("/");
  const segments = parts.map((part, i): PatternSegment => {
    const last = i === parts.length - 1;
    if (part === "" && !last) refuse("it has an empty segment; only the last may be empty");
    const name = part.slice(1);
    if (part.startsWith(":") || part.startsWith("*")) {
      if (!NAME.test(name)) refuse(`'${part}' needs a name of letters, digits and '_'`);
      if (part.startsWith(":")) return { kind: "param", name };
      if (!last) refuse(`'${part}' takes the rest of the path, so it must be last`);
      return { kind: "rest", name };
    }
    if (UNFIT_TEXT.test(part.replaceAll("::", "")))
      refuse(
        `'${part}' must be plain decoded text, with '::' for a colon, or a whole segment ':name' or '*name'`,
      );
    return { kind: "static", text: literalText(part) };
  });
  const names = segments.flatMap((segment) => (segment.kind === "static" ? [] : [segment.name]));
  const positions = segments.flatMap(({ kind }, i) => (kind === "static" ? [] : [i]));
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) refuse(`it has two parameters '${twice}'`);
  if (takesEncodedSlashes && segments.at(-1)?.kind !== "rest")
    refuse("encodedSlashes are those of a last segment '*name'");
  return { text, segments, names, positions, takesEncodedSlashes };
}

/** Value of the parameter with this index in `names`. `path` holds the decoded segments of a match. */
export function parameterAt(
  { segments, positions }: Pattern,
  index: number,
  path: readonly string[],
): string {
  const at = positions[index] as number;
  return segments[at]?.kind === "rest" ? path.slice(at).join("/") : (path[at] as string);
}

/** Values by name, in an object without prototype. */
export function parametersOf(pattern: Pattern, path: readonly string[]): Readonly<Record<string, string>> {
  const named: Record<string, string> = Object.create(null);
  pattern.names.forEach((name, i) => {
    named[name] = parameterAt(pattern, i, path);
  });
  return named;
}

/** The names in a path, as a type: `"id"` for `"/user/:id"`. */
export type PathNames<P extends string> = P extends `${infer Head}/${infer Tail}`
  ? SegmentName<Head> | PathNames<Tail>
  : SegmentName<P>;

type SegmentName<S extends string> = S extends `:${infer Name}`
  ? Name
  : S extends `*${infer Name}`
    ? Name
    : never;

/** The layer that set a value. */
export type Origin =
  | { readonly kind: "default"; readonly words: string | undefined }
  | { readonly kind: "file"; readonly file: string; readonly line: number; readonly column: number }
  | {
      readonly kind: "profile";
      readonly profile: string;
      readonly file: string;
      readonly line: number;
      readonly column: number;
    }
  | { readonly kind: "variable"; readonly variable: string };

/** As `explain` writes it. */
export function shownOrigin(origin: Origin): string {
  switch (origin.kind) {
    case "default":
      return origin.words === undefined ? "default" : `default (${origin.words})`;
    case "file":
      return `${origin.file}:${origin.line}`;
    case "profile":
      return `${origin.file}:${origin.line} [profile.${origin.profile}]`;
    case "variable":
      return origin.variable;
  }
}

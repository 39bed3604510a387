const VERSION = /^v?(\d+(?:\.\d+){0,2})(?:-[\w.-]+)?$/;

export const isVersion = (value: unknown): value is string =>
  typeof value === "string" && VERSION.test(value);

const numbersOf = (version: string): readonly number[] =>
  (VERSION.exec(version)?.[1] ?? "").split(".").map(Number);

/** Negative where `a` is the older one; 0.30 is 0.30.0. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  for (let i = 0; i < 3; i += 1) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** "0.29" for 0.29, v0.29.0 and 0.29.3: rules lead from minor version to minor version. */
export const minorOf = (version: string): string => {
  const [major = 0, minor = 0] = numbersOf(version);
  return `${major}.${minor}`;
};

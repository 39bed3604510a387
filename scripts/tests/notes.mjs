// The summary that test.mjs prints at the end of its log, which a truncated log still has.

// The reason in native-tests/support/code-generation.ts. Such a test runs where code may be generated.
const NEEDS_CODE = "code must not be generated here";

/** Skipped tests that need a program which this machine lacks. */
export const lackingOf = (skipped) => skipped.filter(({ why }) => why !== NEEDS_CODE);

/** The skipped tests, and how to run them. */
export function skippedIn({ skipped }) {
  const lines = (title, tests) =>
    tests.length === 0 ? [] : ["", title, ...tests.map(({ name, why }) => `  ${name} (${why})`)];
  const lacking = lackingOf(skipped);
  const aboutCode = skipped.filter((test) => !lacking.includes(test));
  return [
    ...lines(
      "Skipped, because they are about generated code or need a library that generates some:",
      aboutCode,
    ),
    ...lines("Skipped, because this machine lacks a program:", lacking),
    ...(lacking.length > 0 ? ["Install what they need with: npm run test:deps"] : []),
  ].join("\n");
}

const MISSING = /\bspawn(?:Sync)? ([\w.-]+) ENOENT|\b([\w.-]+): (?:command )?not found\b/;

/** Each failed test with its file and the beginning of its error, and the programs that were missing. */
export function failuresIn({ failed }) {
  const told = failed.map(({ file, name, at, about }) =>
    [`${file}: ${name}`, `(${at})`, ...about].join("\n    "),
  );
  const found = failed.flatMap(({ about }) => about.map((line) => MISSING.exec(line))).filter(Boolean);
  const missing = [...new Set(found.map(([, spawned, named]) => spawned ?? named))];
  const lines = missing.map((name) => `${name} is not installed: npm run test:deps installs what tests need`);
  return [["What failed:", ...told].join("\n  "), ...lines].join("\n");
}

/** Files that failed once and then passed: defects to mend. */
export function passedLater({ failed }, files) {
  const lines = files.flatMap((file) => {
    const own = failed.filter((test) => test.file === file);
    const names = own.map(({ name }) => name).join("; ") || "the file itself";
    const abouts = own.map(({ name, about }) => [`  ${name}`, ...about].join("\n    "));
    return [`passed only at the second try: ${file}: ${names}`, ...abouts];
  });
  return ["Some tests pass by chance: mend them.", ...lines].join("\n");
}

/** Counts, duration, the slowest files, and what was not run. */
export function summaryOf({ files, failed, skipped, passed }, { ms, seed, isWhole, isHeavy }) {
  const slowest = [...files].sort((a, b) => b.ms - a.ms).slice(0, 5);
  const times = slowest.map((record) => `  ${(record.ms / 1000).toFixed(1).padStart(6)} s  ${record.file}`);
  return [
    "",
    `${passed} passed, ${failed.length} failed, ${skipped.length} skipped in ${(ms / 1000).toFixed(0)} s (seed ${seed})`,
    "The slowest files:",
    ...times,
    ...(isWhole && !isHeavy
      ? [
          "Not run here, see npm run test:heavy: browsers, proxies, worker processes, stops under load, external servers",
        ]
      : []),
  ].join("\n");
}

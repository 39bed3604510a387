// A test reporter that names what was skipped, and how to run it.

// As native-tests/support/code-generation.ts says it. Such a test runs in the other run.
const NEEDS_CODE = "code must not be generated here";

export default async function* report(events) {
  const skipped = [];
  for await (const { type, data } of events) {
    if (type === "test:pass" && data.skip !== undefined)
      skipped.push({ name: data.name, why: data.skip || "skipped" });
  }
  const lines = (tests) => tests.map(({ name, why }) => `  ${name} (${why})\n`).join("");
  const [aboutCode, lacking] = [true, false].map((of) =>
    skipped.filter(({ why }) => (why === NEEDS_CODE) === of),
  );
  if (aboutCode.length > 0)
    yield `\nSkipped, because they are about generated code or need a library that generates some:\n${lines(aboutCode)}`;
  if (lacking.length === 0) return;
  yield `\nSkipped, because this machine lacks a program:\n${lines(lacking)}`;
  yield "Install what they need with: npm run test:deps\n";
  if (process.env.NO_SKIPS === "1") {
    yield "NO_SKIPS is set: a skipped test fails.\n";
    process.exitCode = 1;
  }
}

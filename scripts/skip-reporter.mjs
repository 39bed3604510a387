// A test reporter that names what was skipped, and how to run it.

export default async function* report(events) {
  const skipped = [];
  for await (const { type, data } of events) {
    if (type === "test:pass" && data.skip !== undefined)
      skipped.push(`${data.name} (${data.skip || "skipped"})`);
  }
  if (skipped.length === 0) return;
  yield `\nSkipped, because this machine lacks a program:\n${skipped.map((line) => `  ${line}\n`).join("")}`;
  yield "Install what they need with: npm run test:deps\n";
  if (process.env.FRAMEWORK_NO_SKIPS === "1") {
    yield "FRAMEWORK_NO_SKIPS is set: a skipped test fails.\n";
    process.exitCode = 1;
  }
}

// Breaks named lines, one at a time, in a copy, and expects the tests to go red. A
// line whose loss nobody notices is not tested. `npm run mutate -- WORD` runs those
// whose name has the word. The lines stand in mutations/, a list for each layer or part
// of one; a row is: name, file, the line as it is, the line broken, the tests that must notice.

import { existsSync, readdirSync } from "node:fs";
import { availableParallelism } from "node:os";

import { commandLine } from "./command-line.mjs";
import { countOf, makeCopy, replaceIn, restore, runIn } from "./repository-copy.mjs";
import { shareOf } from "./share.mjs";

const LISTS = new URL("mutations/", import.meta.url);
const MUTATIONS = (
  await Promise.all(
    readdirSync(LISTS)
      .sort()
      .map((name) => import(new URL(name, LISTS))),
  )
).flatMap((list) => list.default);

const HELP = `npm run mutate [-- WORD... | --check | --one-in N]

Breaks each of ${MUTATIONS.length} lines in a copy and expects red.

  WORD...       those alone whose names, in scripts/mutations, have all the words
  --check       only looks whether each still stands in the code, and its tests are there
  --one-in N    one line in N, with each commit another share: what CI does`;

const OPTIONS = { check: { type: "boolean", default: false }, "one-in": { type: "string", default: "1" } };

const { checks, chosen } = commandLine(
  HELP,
  { options: OPTIONS, words: true },
  ({ values, words, count }) => {
    const named = MUTATIONS.filter(([name]) => words.every((word) => name.includes(word)));
    if (named.length === 0) throw new Error(`No line has a name with '${words.join("' and '")}'`);
    return { checks: values.check, chosen: shareOf(named, count("one-in", 1)) };
  },
);

const outdated = chosen.filter(([, file, from]) => countOf(from, ".", file) !== 1);
if (outdated.length > 0) {
  const places = outdated.map(([name, file, from]) => `  ${name}: ${JSON.stringify(from)} in ${file}`);
  console.error(`These lines do not stand in the code once: mend this list\n${places.join("\n")}`);
  process.exit(1);
}
// A path that is not there would be red, and look as if its test had noticed.
const lost = chosen.filter(([, , , , tests]) => !tests.split(" ").every((path) => existsSync(path)));
if (lost.length > 0) {
  console.error(`The tests of these lines are not there: ${lost.map(([name]) => name).join(", ")}`);
  process.exit(1);
}
if (checks) process.exit(0);

const survived = [];
const waiting = [...chosen];
let done = 0;
await Promise.all(Array.from({ length: Math.min(availableParallelism() + 1, chosen.length) }, work));
if (survived.length > 0) console.error(`\nNobody noticed the loss of: ${survived.join(", ")}`);
process.exit(survived.length === 0 ? 0 : 1);

/** Takes one line after the other, in a copy of its own. */
async function work() {
  const copy = makeCopy();
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const [name, file, from, to, tests] = next;
    replaceIn(copy, file, from, to);
    const { passed } = await runIn(copy, `node scripts/test.mjs ${tests}`);
    done += 1;
    console.log(`${String(done).padStart(2)}/${chosen.length}  ${passed ? "SURVIVED" : "noticed "}  ${name}`);
    if (passed) survived.push(name);
    restore(copy);
  }
}

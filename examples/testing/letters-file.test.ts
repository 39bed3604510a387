import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";

import { deadLetterStoreContract } from "framework/testing/contracts";

import { LettersFile } from "./letters-file.js";

const folder = mkdtempSync(join(tmpdir(), "letters-"));
let opened = 0;
after(() => rmSync(folder, { recursive: true }));

deadLetterStoreContract("a file", () => {
  opened += 1;
  return new LettersFile(join(folder, `${opened}.json`));
});

// Writes the files generated from the table of configuration keys: `npm run config-docs`.

import { readFileSync, writeFileSync } from "node:fs";

import { commentedToml } from "#config/commented-toml.js";
import { configSchema } from "#config/config-schema.js";
import { keyTable } from "#config/key-table.js";
import { commandLine } from "./command-line.mjs";

commandLine(`npm run config-docs

Writes framework.toml, docs/framework.schema.json and the table of docs/configuration.md.`);

const PAGE = "docs/configuration.md";
const TABLE = /(?<=<!-- keys -->\n)[\s\S]*(?=<!-- end -->)/;

writeFileSync("framework.toml", commentedToml());
writeFileSync("docs/framework.schema.json", `${JSON.stringify(configSchema, null, 2)}\n`);
writeFileSync(
  PAGE,
  readFileSync(PAGE, "utf8").replace(TABLE, () => keyTable()),
);

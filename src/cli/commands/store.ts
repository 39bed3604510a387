import { aligned } from "#config/aligned.js";
import { FrameworkConfig } from "#config/config.js";
import { FrameworkError } from "#core/errors.js";
import { checkTables, migrateTables } from "#store/store-tables.js";
import { CommandError, type Given, type Surroundings } from "../terminal/command.js";

export async function storeCheck(given: Given, { out }: Surroundings): Promise<number> {
  const { shown, found, release } = await asked(() => checkTables(urlOf(given)));
  const rows = [
    ["store", shown],
    ["tables", found === 0 ? "none" : `version ${found}`],
    ["release", `version ${release}`],
  ];
  out(`${aligned(rows).join("\n")}\n`);
  if (found === release) return 0;
  out(
    found < release
      ? 'A migration is needed: run "framework store migrate".\n'
      : "The tables are newer: use the release that made them, or a newer one.\n",
  );
  return 1;
}

export async function storeMigrate(given: Given, { out }: Surroundings): Promise<number> {
  const { shown, found, release } = await asked(() => migrateTables(urlOf(given)));
  out(
    found === release
      ? `${shown}: its tables are of version ${release} already, nothing was done\n`
      : `${shown}: migrated from ${found === 0 ? "no tables" : `version ${found}`} to version ${release}\n`,
  );
  return 0;
}

function urlOf(given: Given): string {
  const [url] = given.operands;
  if (url !== undefined) return url;
  const file = given.text("file");
  return FrameworkConfig.load(file === undefined ? {} : { file }).persistence.url.reveal();
}

/** Only newer tables are a result, with exit code 1. Other errors are errors. */
async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (cause instanceof FrameworkError && cause.code === "STORE_VERSION") throw cause;
    throw new CommandError("the store could not be asked", { cause });
  }
}

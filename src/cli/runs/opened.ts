import { aligned } from "#config/aligned.js";
import { FrameworkError } from "#core/errors.js";
import { UnreadableLog } from "#core/ports/run-store.js";
import type { StoreSet } from "#core/ports/store-set.js";
import { visible } from "#core/wire/visible-text.js";
import { FrameworkConfig } from "../../framework-config.js";
import { runningInspector } from "../application/running-inspector.js";
import { CommandError, type Given, type Surroundings } from "../terminal/command.js";
import type { Patience } from "./host-answer.js";
import { keptPlace } from "./kept-place.js";
import { wholeIn } from "./options.js";
import type { Place } from "./place.js";
import { servedPlace } from "./served-place.js";

const POLL_MS = 100;
/** An Inspector waits for some seconds for the end of what it does. */
const INSPECTOR_MS = 30_000;

interface Opened {
  readonly stores: StoreSet;
  readonly patience: Patience;
  readonly isProduction: boolean;
}

/** The Inspector of --inspector, or the stores of the configuration. */
export async function atPlace(
  given: Given,
  surroundings: Surroundings,
  use: (place: Place) => Promise<number>,
): Promise<number> {
  const url = given.text("inspector");
  if (url === undefined)
    return withStores(given, surroundings, ({ stores, patience }) => use(keptPlace(stores, patience)));
  const inspector = runningInspector(url, INSPECTOR_MS);
  told(given, surroundings)(`inspector  ${inspector.shown}\n`);
  return use(servedPlace(inspector));
}

/** Where --json is given, nothing but JSON is on stdout. */
export const told = (given: Given, { out, err }: Surroundings): Surroundings["out"] =>
  given.flag("json") ? err : out;

/** Prints the profile and the database before anything is done. Migrates nothing. */
export async function withStores(
  given: Given,
  surroundings: Surroundings,
  use: (opened: Opened) => Promise<number>,
  tell = told(given, surroundings),
): Promise<number> {
  const file = given.text("file");
  const config = FrameworkConfig.load(file === undefined ? {} : { file });
  const stores = config.openStores();
  const { production: isProduction, reason } = config.mode;
  const rows = [
    ["profile", `${isProduction ? "production" : "not production"}: ${reason}`],
    ["store", visible(stores.shown)],
  ];
  tell(`${aligned(rows).join("\n")}\n`);
  const patience = { timeoutMs: wholeIn(given, "timeout", 30) * 1000, pollMs: POLL_MS };
  try {
    await looked(stores);
    return await use({ stores, patience, isProduction });
  } catch (error) {
    if (error instanceof CommandError) throw error;
    if (error instanceof UnreadableLog) throw error;
    if (error instanceof FrameworkError && error.code === "STORE_VERSION") throw error;
    throw new CommandError("the store could not be asked", { cause: error });
  } finally {
    await stores.close();
  }
}

async function looked({ look, shown }: StoreSet): Promise<void> {
  const set = "set FRAMEWORK_PERSISTENCE_URL or persistence.url, or give --file";
  if (look === undefined)
    throw new CommandError(
      `${shown} is in the memory of each process: give the server's --inspector URL; or ${set}`,
    );
  try {
    await look();
  } catch (cause) {
    if (cause instanceof FrameworkError && cause.code === "STORE_VERSION") throw cause;
    throw new CommandError(`the store could not be asked. For another one ${set}`, { cause });
  }
}

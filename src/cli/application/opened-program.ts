// A module and the stores of its runs, for commands that only read.

import { aligned } from "#config/aligned.js";
import { FrameworkError } from "#core/errors.js";
import type { StoreSet } from "#core/ports/store-set.js";
import { visible } from "#core/wire/visible-text.js";
import { FrameworkConfig } from "../../framework-config.js";
import { CommandError, type Given, type Surroundings } from "../terminal/command.js";
import type { Ingress } from "./application.js";
import { type KeptProgram, keptProgramOf } from "./kept-program.js";
import { axonsIn, type ExportedAxon, ingressIn } from "./program-export.js";

export interface OpenedProgram {
  readonly program: KeptProgram;
  readonly ingress: Ingress | undefined;
  readonly exported: readonly ExportedAxon[];
}

interface Asked {
  readonly module: string;
  /** False if nothing is read from a store. */
  readonly asksStores: boolean;
}

/** Prints the profile and the stores first. The module's stores, else those of the configuration. */
export async function withProgram(
  given: Given,
  { out, err }: Surroundings,
  { module, asksStores }: Asked,
  use: (opened: OpenedProgram) => Promise<number>,
): Promise<number> {
  const file = given.text("file");
  const config = FrameworkConfig.load(file === undefined ? {} : { file });
  const exported = await axonsIn(module);
  const ingress = await ingressIn(module, given.text("export"), exported.length > 0);
  const stores = ingress?.plan.stores ?? config.openStores();
  try {
    const definitions = exported.map(({ definition }) => definition);
    const program = keptProgramOf(ingress?.plan, definitions, stores);
    if (!asksStores) return await use({ program, ingress, exported });
    const isShared = program.stores.includes(stores.runs);
    const { production, reason } = config.mode;
    const head = [
      ["profile", `${production ? "production" : "not production"}: ${reason}`],
      ["stores", isShared ? visible(stores.shown) : "those of the Axons"],
    ];
    (given.flag("json") ? err : out)(`${aligned(head).join("\n")}\n`);
    if (isShared) await looked(stores);
    return await use({ program, ingress, exported });
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const { message, cause } = error as Error;
    throw new CommandError(message, error instanceof FrameworkError ? undefined : { cause });
  } finally {
    await stores.close();
  }
}

/** Connects. A store of another kind that cannot look without changes is opened. */
async function looked({ look, open, runs, shown }: StoreSet): Promise<void> {
  if (runs.perProcess !== undefined)
    throw new CommandError(`${shown} keeps nothing beyond its process: set persistence.url`);
  await (look ?? open)();
}

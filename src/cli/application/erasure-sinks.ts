import type { ErasureSink } from "#core/ports/erasure.js";
import { moduleOf } from "./application.js";

/** The erasure sinks that the module exports, alone or in lists. */
export const erasureSinksIn = async (file: string): Promise<readonly ErasureSink[]> =>
  Object.values(await moduleOf(file))
    .flat()
    .filter(isSink);

const isSink = (value: unknown): value is ErasureSink =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as Partial<ErasureSink>).name === "string" &&
  typeof (value as Partial<ErasureSink>).erase === "function";

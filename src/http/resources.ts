import { startFailure } from "./start-failure.js";

type Values = Readonly<Record<string, unknown>>;

/** The resources as `run` takes them: their values, or what makes them in a process that serves. */
export type Given = Values | (() => Values | Promise<Values>);

/** Rejects with START_FAILED where they cannot be made. */
export async function made(given: Given): Promise<Values> {
  if (typeof given !== "function") return given;
  try {
    return (await given()) ?? {};
  } catch (cause) {
    throw startFailure("The resources could not be made", cause);
  }
}

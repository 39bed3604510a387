// A dead letter is re-driven without its request. Where a step reads what only a request has, no
// letter of that step, or of one in front of it, can be re-driven: reported when the Axon is mounted.

import type { Reporter } from "#core/reporter.js";
import type { Supply } from "#runtime/bus-layout.js";
import { missingKeys } from "#runtime/definite-assignment.js";
import type { Program } from "#runtime/program.js";

export function reportLettersOfRequests(program: Program, { lazy }: Supply, reporter: Reporter): void {
  const { name, code, layout, entries, deadLetterSink } = program;
  if (deadLetterSink === undefined) return;
  const kept = layout.keys.filter((key) => !lazy.has(key));
  const lacking = (at: number): readonly string[] => missingKeys(name, code, kept, at);
  const lines = new Set([...entries.values()].flatMap(lacking));
  if (lines.size === 0) return;
  const message = `Dead letters of these steps, and of steps in front of them, cannot be re-driven, as a re-drive has no request: ${[...lines].join("; ")}. Copy what they need into the input, from a guard or the first step, or re-drive with a Bus that has it`;
  reporter({ code: "REDRIVE_NEEDS_REQUEST", message, axon: name });
}

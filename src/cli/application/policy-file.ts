// policy.toml as commands read it, and their words for its allowances.

import { readFileSync } from "node:fs";

import { visible } from "#core/wire/visible-text.js";
import { type Allowance, type Policy, type PolicyForm, readPolicy } from "#drift/policy.js";
import { CommandError } from "../terminal/command.js";
import { readable } from "./schematic-source.js";

export function policyOf<Rule extends string>(file: string, form: PolicyForm<Rule>): Policy<Rule> {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw new CommandError(`the policy ${file} could not be read`, { cause });
  }
  return readable(() => readPolicy(text, file, form));
}

/** 2026-12-31, in UTC. */
export const today = (): string => new Date().toISOString().slice(0, "2026-12-31".length);

export const explained = (expired: Allowance | undefined, file: string): string =>
  expired === undefined ? "" : ` (the [[allow]] at ${file}:${expired.line} expired on ${expired.expires})`;

export const unusedText = ({ rule, axon, line }: Allowance, file: string): string =>
  `${file}:${line}: nothing needs this [[allow]] of ${rule} for '${visible(axon)}'`;

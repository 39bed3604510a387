// Options of commands on runs: filters, numbers, times, and JSON that must not be in the command line.

import { readFileSync } from "node:fs";

import { labelIn } from "#core/bus/label.js";
import { meantAmong } from "#core/nearest.js";
import type { RunListFilter } from "#core/ports/run-list.js";
import { RUN_STATE_NAMES, type RunStateName } from "#core/ports/run-state.js";
import type { Json } from "#core/wire/json-text.js";
import { visible } from "#core/wire/visible-text.js";
import { hashedSubject } from "#runtime/run/subject.js";
import { CommandError, type Given, UsageError } from "../terminal/command.js";

export const FILTERS = ["axon", "state", "label", "subject", "since", "until"] as const;

/** `states`: those of the command; all runs if none is asked for. */
export function filterIn(given: Given, limit: number, states?: readonly RunStateName[]): RunListFilter {
  const [axon, subject, label] = [given.text("axon"), given.text("subject"), given.text("label")];
  const wanted = label === undefined ? undefined : labelIn(label);
  if (label !== undefined && wanted === undefined)
    throw new UsageError(`--label '${visible(label)}': write a name and a value, order:123`);
  const state = stateIn(given.text("state"), states ?? RUN_STATE_NAMES);
  const asked = state === undefined ? states : [state];
  return {
    limit,
    ...(axon !== undefined && { axons: [axon] }),
    ...(asked !== undefined && { states: asked }),
    ...(wanted !== undefined && { label: wanted }),
    ...(subject !== undefined && { subject: hashedSubject(subject) }),
    ...timesIn(given),
  };
}

function stateIn(text: string | undefined, states: readonly RunStateName[]): RunStateName | undefined {
  if (text === undefined) return undefined;
  const state = states.find((each) => each === text);
  if (state !== undefined) return state;
  const near = meantAmong(text, states) || `there are ${states.join(", ")}`;
  throw new UsageError(`--state '${visible(text)}' is none of this command; ${near}`);
}

export function timesIn(given: Given): { readonly since?: number; readonly until?: number } {
  const [since, until] = [timeIn(given, "since"), timeIn(given, "until")];
  return { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
}

function timeIn(given: Given, option: string): number | undefined {
  const text = given.text(option);
  if (text === undefined) return undefined;
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d[\d:.]*(Z|[+-]\d\d:\d\d))?$/.test(text);
  const time = isTime ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw new UsageError(`--${option} '${visible(text)}': write 2026-01-31, or 2026-01-31T12:00:00Z`);
  return time;
}

export function wholeIn(given: Given, option: string, otherwise: number, most = 100_000): number {
  const text = given.text(option);
  if (text === undefined) return otherwise;
  if (/^[1-9]\d{0,8}$/.test(text) && Number(text) <= most) return Number(text);
  throw new UsageError(`--${option} '${visible(text)}': write a whole number from 1 to ${most}`);
}

/** JSON in the option, in a file, @FILE, or on stdin, -. Messages do not quote it: it may be a secret. */
export function jsonIn(given: Given, option: string): Json {
  const text = given.text(option);
  if (text === undefined) throw new UsageError(`--${option} JSON is missing: also @FILE, or - for stdin`);
  const isFile = text.startsWith("@");
  const read = text === "-" ? fileText(0, "stdin") : isFile ? fileText(text.slice(1), text.slice(1)) : text;
  try {
    return JSON.parse(read) as Json;
  } catch {
    const what =
      text === "-" ? "what stdin has" : isFile ? `what ${visible(text.slice(1))} has` : "its value";
    throw new UsageError(
      `--${option}: ${what} is no JSON. A text is '"tea"', an object '{"sku":"tea"}', each in quotes of the shell; a file is @FILE, stdin is -`,
    );
  }
}

function fileText(file: string | number, shown: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new CommandError(`${visible(shown)} could not be read`, { cause });
  }
}

import { visible } from "#core/wire/visible-text.js";
import { clock, isRecord, LEVELS, textOf } from "./compact-line.js";
import type { Plain, PlainObject } from "./plain-value.js";

/** SGR codes of terminal colours (ECMA-48); 39 resets the colour. */
const COLOURS: ReadonlyMap<Plain | undefined, number> = new Map([
  [10, 90],
  [20, 34],
  [30, 32],
  [40, 33],
  [50, 31],
  [60, 35],
]);
const MESSAGE = 36;

/** For people: time, level, message, the fields as JSON, then errors with their stacks, indented. */
export function prettyLine({ level, time, msg, err, ...fields }: PlainObject, coloured: boolean): string {
  const painted = (colour: number | undefined, text: string): string =>
    coloured && colour !== undefined ? `\u001b[${colour}m${text}\u001b[39m` : text;
  const isError = isRecord(err);
  const rest = isError || err === undefined ? fields : { ...fields, err };
  const head = `[${clock(Number(time))}] ${painted(COLOURS.get(level), (LEVELS.get(level) ?? textOf(level)).trim())}:`;
  const said = msg === undefined ? [] : [painted(MESSAGE, visible(textOf(msg)))];
  const named = Object.keys(rest).length === 0 ? [] : [visible(JSON.stringify(rest))];
  return `${[head, ...said, ...named].join(" ")}\n${
    isError
      ? errorLines(err)
          .map((line) => `    ${line}\n`)
          .join("")
      : ""
  }`;
}

/** The stack, which starts with the message; other members; the cause. */
function errorLines({ type, message, stack, cause, ...more }: PlainObject): readonly string[] {
  const head = typeof stack === "string" ? stack.split("\n") : [`${textOf(type)}: ${textOf(message)}`];
  const members = Object.entries(more).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const caused = isRecord(cause) ? errorLines(cause) : cause === undefined ? [] : [JSON.stringify(cause)];
  const [first, ...others] = caused;
  return [
    ...[...head, ...members.map((line) => `  ${line}`)].map(visible),
    ...(first === undefined ? [] : [`because ${visible(first)}`, ...others.map((line) => visible(line))]),
  ];
}

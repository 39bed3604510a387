import { didYouMean, nearest } from "#core/nearest.js";
import { type Given, knownVariables, wrongWith } from "./given.js";
import { otelNames } from "./key.js";
import { keys, type NamedKey } from "./keys.js";
import { cut, inVariable, LISTED, shownName } from "./mistake.js";

export type Env = Readonly<Record<string, string | undefined>>;

const PREFIX = "FRAMEWORK_";
export const PROFILE_VARIABLE = "FRAMEWORK_PROFILE";

/** Reads the variables of all keys. Other FRAMEWORK_ variables are mistakes. */
export function applyVariables(env: Env, given: Given): void {
  for (const key of keys) {
    const ours = env[key.variable];
    if (ours !== undefined) take(key, key.variable, ours, key.read(ours), key.expected, given);
    else takeOtel(key, env, given);
  }
  const known = new Set([PROFILE_VARIABLE, ...keys.map((key) => key.variable)]);
  for (const name of Object.keys(env)) {
    if (!name.startsWith(PREFIX) || known.has(name) || env[name] === undefined) continue;
    const names = nearest(name.slice(PREFIX.length), name.slice(PREFIX.length), CANDIDATES);
    const remedy = didYouMean(names.map((near) => PREFIX + near)) || LISTED;
    given.mistakes.push(inVariable(shownName(name), "there is no such variable", remedy));
  }
}

const CANDIDATES = [
  { name: "PROFILE", tail: "PROFILE" },
  ...knownVariables.map(({ name, tail }) => ({ name: name.slice(PREFIX.length), tail })),
];

function takeOtel(key: NamedKey, env: Env, given: Given): void {
  const { otel } = key;
  // OpenTelemetry treats an empty variable as unset.
  const name = otelNames(key).find((each) => (env[each] ?? "") !== "");
  const text = name === undefined ? undefined : env[name];
  if (otel === undefined || name === undefined || text === undefined) return;
  if (otel.applies?.(env) === false) return;
  const translated = otel.translate === undefined ? text : otel.translate(text);
  const value = translated === undefined ? undefined : key.read(translated);
  take(key, name, text, value, otel.expected ?? key.expected, given);
}

function take(
  key: NamedKey,
  variable: string,
  text: string,
  value: unknown,
  expected: string,
  given: Given,
): void {
  // A text that is no value of the type is validated as text.
  const wrong = wrongWith(key, value ?? text);
  if (value !== undefined && wrong === undefined) {
    given.set(key, value, { kind: "variable", variable });
    return;
  }
  given.setWrong(key);
  const problem = wrong?.problem ?? `is ${cut(JSON.stringify(text))}`;
  // Tables of the file have another format in variables.
  const form =
    value === undefined && key.schema["type"] === "object" ? ", written name=value,name=value" : "";
  given.mistakes.push(inVariable(variable, problem, `it must be ${expected}${form}`));
}

import { didYouMean, nearest } from "#core/nearest.js";
import { type Given, knownVariables, wrongWith } from "./given.js";
import { otelNames } from "./key.js";
import { keys, type NamedKey } from "./keys.js";
import { cut, inVariable, LISTED, shownName } from "./mistake.js";

export type Env = Readonly<Record<string, string | undefined>>;

const PREFIX = "FRAMEWORK_";
export const PROFILE_VARIABLE = "FRAMEWORK_PROFILE";

// Kubernetes sets these for each Service of the namespace. One named `framework-server` sets
// FRAMEWORK_SERVER_PORT=tcp://10.0.0.1:80.
const LINK_NAME = /_SERVICE_HOST$|_SERVICE_PORT(?:_|$)|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_|$)/;
const LINK_VALUE = /^(?:tcp|udp|sctp):\/\//;

const isServiceLink = (name: string, value: string): boolean =>
  name.startsWith(PREFIX) && (LINK_NAME.test(name) || (name.endsWith("_PORT") && LINK_VALUE.test(value)));

/**
 * Reads the variables of all keys; an empty one counts as unset. Other FRAMEWORK_ variables are mistakes,
 * except those that Kubernetes sets for Services: their names are returned.
 */
export function applyVariables(given: Env, into: Given): readonly string[] {
  const set = Object.entries(given).filter(([, value]) => (value ?? "") !== "") as [string, string][];
  const links = set.filter(([name, value]) => isServiceLink(name, value)).map(([name]) => name);
  const ignored = new Set(links);
  apply(Object.fromEntries(set.filter(([name]) => !ignored.has(name))), into);
  return links;
}

function apply(env: Env, given: Given): void {
  for (const key of keys) {
    const ours = env[key.variable];
    if (ours !== undefined) take(key, key.variable, ours, key.read(ours), key.expected, given);
    else takeOtel(key, env, given);
  }
  const known = new Set([PROFILE_VARIABLE, ...keys.map((key) => key.variable)]);
  for (const name of Object.keys(env)) {
    if (!name.startsWith(PREFIX) || known.has(name)) continue;
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
  const name = otelNames(key).find((each) => env[each] !== undefined && otel?.applies?.(env, each) !== false);
  const text = name === undefined ? undefined : env[name];
  if (otel === undefined || name === undefined || text === undefined) return;
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

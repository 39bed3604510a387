import { isDerived } from "./key.js";
import { keys, type NamedKey, sections } from "./keys.js";

type Json = Readonly<Record<string, unknown>>;

/** The JSON Schema of framework.toml, for editors. Published as docs/framework.schema.json. */
export const configSchema: Json = Object.freeze({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "framework.toml",
  type: "object",
  properties: {
    ...settings(),
    profile: {
      description: "Settings of one profile each: FRAMEWORK_PROFILE chooses",
      type: "object",
      additionalProperties: { type: "object", properties: settings(), additionalProperties: false },
    },
  },
  additionalProperties: false,
});

function settings(): Json {
  const section = (name: string): Json => ({
    type: "object",
    properties: Object.fromEntries(
      keys.filter((key) => key.section === name).map((key) => [key.name, property(key)]),
    ),
    additionalProperties: false,
  });
  return Object.fromEntries(Object.keys(sections).map((name) => [name, section(name)]));
}

function property(key: NamedKey): Json {
  const given = key.default;
  const said = isDerived(given) ? ` Default: ${given.words}.` : "";
  const constant = given === undefined || isDerived(given) ? {} : { default: given };
  return { description: `${key.doc}${said} Variable: ${key.variable}`, ...constant, ...key.schema };
}

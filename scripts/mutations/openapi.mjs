// Lines of the OpenAPI document. mutate.mjs says what a row is.

const DOCUMENT = "native-tests/openapi/document.test.ts";
const BREAKS = "native-tests/openapi/breaks.test.ts";

export default [
  [
    "openapi: one $id has one meaning",
    "src/openapi/schema-components.ts",
    "if (meaningOf(own) !== meaningOf(other.json))",
    'if (meaningOf(own) === "")',
    DOCUMENT,
  ],
  [
    "openapi: internal routes are left out",
    "src/openapi/describe.ts",
    '({ method, internal }) => method !== "*" && !internal',
    '({ method }) => method !== "*"',
    DOCUMENT,
  ],
  [
    "openapi: axons are named where asked for alone",
    "src/openapi/extensions.ts",
    "...(internals && {",
    "...(axon && {",
    DOCUMENT,
  ],
  [
    "openapi: a field that may be absent now breaks clients",
    "src/schema/compile/schema-comparison.ts",
    "if (!required.includes(name))",
    "if (!required.includes(name) && !Object.hasOwn(own, name))",
    BREAKS,
  ],
  [
    "openapi: a role that is asked for breaks clients",
    "src/openapi/compared-documents.ts",
    "...this.#security(before, after),",
    "...this.#security(before, before),",
    BREAKS,
  ],
];

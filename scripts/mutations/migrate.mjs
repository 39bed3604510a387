// Lines of framework migrate. mutate.mjs says what a row is.

const ODD = "native-tests/migrate/odd-sources.test.ts";
const CLI = "native-tests/cli/commands/migrate.test.ts";

export default [
  [
    "migrate: a reference is resolved after its module was read (MG1)",
    "src/migrate/scopes.ts",
    'const into = kind === "var" ? scope.functionScope : scope;',
    "const into = scope;",
    ODD,
  ],
  [
    "migrate: a type hides types alone",
    "src/migrate/scopes.ts",
    "find((binding) => (binding.meaning & meaning) !== 0)",
    "find(() => meaning !== 0)",
    ODD,
  ],
  [
    "migrate: a local name stays where the file has the new one (MG4)",
    "src/migrate/module-text.ts",
    "if (RESERVED.has(name) || this.scopes.names.has(name) || this.#given.has(name)) return false;",
    "if (RESERVED.has(name) || this.#given.has(name)) return false;",
    ODD,
  ],
  [
    "migrate: two renamed names are not one",
    "src/migrate/module-text.ts",
    "if (RESERVED.has(name) || this.scopes.names.has(name) || this.#given.has(name)) return false;",
    "if (RESERVED.has(name) || this.scopes.names.has(name)) return false;",
    ODD,
  ],
  [
    "migrate: rules change nothing in their own result (MG5)",
    "src/migrate/migration.ts",
    "if (again === text) return;",
    "if (again.length >= 0) return;",
    CLI,
  ],
  [
    "migrate: what stands in its replacement stays",
    "src/migrate/text-replace.ts",
    "if (start - at >= done && text.startsWith(written, start - at))",
    "if (start - at > text.length)",
    "native-tests/migrate/text-replace.test.ts",
  ],
  [
    "migrate: a tree that is not committed is refused",
    "src/cli/commands/migrate.ts",
    'if (!isDry && !given.flag("force"))',
    "if (given.operands.length < 0)",
    CLI,
  ],
  ["migrate: a mode stays", "src/migrate/written-file.ts", "chmodSync(temporary, mode);", "", CLI],
];

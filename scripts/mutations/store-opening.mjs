// Lines of how stores are opened: URLs, TLS, poolers, migrations. mutate.mjs says what a row is.

const URLS = "native-tests/store/sql/store-url.test.ts";
const TLS = "native-tests/store/postgres/postgres-tls.test.ts";
const POOLER = "native-tests/store/postgres/postgres-pooler.test.ts";
const SQLITE = "native-tests/store/sqlite/sqlite-database.test.ts";
const CLI = "native-tests/cli/commands/store.test.ts";

export default [
  [
    "store url: the host that is checked is the one that pg asks",
    "src/store/sql/store-url.ts",
    'if (folder?.startsWith("/") === false)',
    "if (folder === null)",
    URLS,
  ],
  [
    "store url: the parameter that is checked is the one that pg takes",
    "src/store/sql/store-url.ts",
    "if (url.searchParams.getAll(name).length > 1)",
    "if (url.searchParams.getAll(name).length > 2)",
    URLS,
  ],
  [
    "store url: a password that ends the authority is not shown",
    "src/store/sql/store-url.ts",
    "/@/.test(url.pathname + url.search)",
    "/@@/.test(url.pathname + url.search)",
    URLS,
  ],
  [
    "store url: the value of an unknown parameter is not shown",
    "src/store/sql/store-url.ts",
    'shown.replace(/\\?.*/s, ""),',
    "shown,",
    URLS,
  ],
  [
    "store url: verified off loopback",
    "src/store/sql/store-url.ts",
    '(isLocal && rootCertificate === undefined ? "disable" : "verify-full")',
    '(rootCertificate === undefined ? "disable" : "verify-full")',
    URLS,
  ],
  [
    "store tls: verify-full verifies",
    "src/store/sql/store-url.ts",
    "return { rejectUnauthorized: true, ",
    "return { rejectUnauthorized: false, ",
    TLS,
  ],
  [
    "store pooler: is asked for more than once",
    "src/store/postgres/postgres-pooler.ts",
    "(await processOf(second)) === own || (await processOf(first)) !== own",
    "(await processOf(second)) === own",
    POOLER,
  ],
  [
    "store pooler: session mode has the time limit of statements",
    "src/store/postgres/postgres-database.ts",
    "      onConnect: limitTime,\n",
    "",
    POOLER,
  ],
  [
    "store migrations: the version is read again in the transaction",
    "src/store/sql/migrations.ts",
    "must: true,",
    "",
    SQLITE,
  ],
  [
    "store check: changes nothing",
    "src/store/sqlite/sqlite-thread.ts",
    'if (!asFound) made.exec("PRAGMA journal_mode = WAL");',
    'made.exec("PRAGMA journal_mode = WAL");',
    CLI,
  ],
  [
    "store check: makes no file",
    "src/store/store-tables.ts",
    "!existsSync(parsed.file)",
    'parsed.file === ""',
    CLI,
  ],
  [
    "store check: 2 where it cannot be asked",
    "src/cli/commands/store.ts",
    'throw new CommandError("the store could not be asked", { cause });',
    "throw cause;",
    CLI,
  ],
];

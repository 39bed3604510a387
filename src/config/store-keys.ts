import { flag, text, url, whole } from "./key.js";

export const persistence = {
  url: url<string>(["sqlite:", "postgres://", "postgresql://", "memory:"], {
    default: "sqlite:.framework/app.db",
    doc: "The database of `config.openStores()`: runs, dead letters, sessions, idempotency keys, locks.",
  }),
  service: text({
    default: "",
    example: "orders",
    doc: "The name of this service, where several share the tables: each sees its own runs, keys, letters and sessions. Default: `telemetry.service_name`, if that is set.",
  }),
  encryptionKeys: text({
    default: "",
    example: "/etc/shop/master-keys",
    doc: "Master keys by which `config.openStores()` encrypts what it keeps: a file that its owner alone can read, or `env:VARIABLE`. A line each: id, space, 32 bytes in base64; the first is used from now on. Without them texts are kept as they are.",
  }),
  autoMigrate: flag({
    default: true,
    doc: "Whether opening the stores brings their tables to this release. If not, other tables are an error: run `framework store migrate`.",
  }),
  retainDays: whole(1, 36_500, {
    default: 30,
    doc: "How many days a run is kept after it has ended.",
  }),
  retainLettersDays: whole(1, 36_500, {
    default: 365,
    doc: "How many days a dead letter is kept after its newest failure, and a run that is stuck or fits no release after its newest entry.",
  }),
};

export const audit = {
  url: url<string | undefined>(["sqlite:", "postgres://", "postgresql://", "file:", "memory:"], {
    default: undefined,
    example: "sqlite:.framework/audit.db",
    doc: "Where `config.openAudit()` keeps audit events, if not in the database of `persistence.url`.",
  }),
  subjectKeysUrl: url<string | undefined>(["sqlite:", "postgres://", "postgresql://"], {
    default: undefined,
    example: "sqlite:.framework/subject-keys.db",
    doc: "Where `config.openSubjectKeys()` keeps the keys of persons, encrypted by `persistence.encryption_keys`: another database than that of the events.",
  }),
  signingKeyFile: text({
    default: "",
    example: "/etc/shop/audit.pem",
    doc: "PEM file of the Ed25519 key that signs checkpoints, readable by its owner only: `framework audit keygen`. Without one nothing is signed.",
  }),
  anchor: text({
    default: "",
    example: "/mnt/elsewhere/audit-anchor.jsonl",
    doc: "Where checkpoints are anchored: a file, an http:// or https:// URL, or the sqlite: or postgres:// URL of another database.",
  }),
  checkpointEvents: whole(1, 65_536, {
    default: 1000,
    doc: "Events after which a checkpoint is made.",
  }),
  checkpointSecs: whole(1, 86_400, {
    default: 60,
    doc: "Seconds after which a checkpoint is made if there are new events.",
  }),
};

export const redis = {
  url: url<string | undefined>(["redis://", "rediss://"], {
    default: undefined,
    example: "redis://127.0.0.1:6379",
    doc: "What several processes share: rates, sessions, idempotency keys, locks, rooms and event channels of `config.openStores()`. Its parameter `prefix` is what its keys begin with; default: the name of the service.",
  }),
  timeoutMs: whole(1, 60_000, {
    default: 500,
    doc: "Time limit of a call of Redis, in milliseconds.",
  }),
  ready: flag({
    default: false,
    doc: "Whether a process is not ready while Redis fails. If not, guards decide by themselves: without Redis a balancer would lose all processes at once.",
  }),
};

import { url } from "./key.js";

const EMBEDDED = ".framework";

export const persistence = {
  url: url<string>(["sqlite:", "postgres://", "postgresql://", "memory:"], {
    default: `sqlite:${EMBEDDED}/runs.db`,
    doc: "Where runs and dead letters are kept.",
  }),
};

export const audit = {
  url: url<string>(["sqlite:", "postgres://", "postgresql://", "file:", "memory:"], {
    default: `sqlite:${EMBEDDED}/audit.db`,
    doc: "Where audit events are kept.",
  }),
};

export const redis = {
  url: url<string | undefined>(["redis://", "rediss://"], {
    default: undefined,
    example: "redis://127.0.0.1:6379",
    doc: "What several processes share: rate limits, sessions, locks.",
  }),
};

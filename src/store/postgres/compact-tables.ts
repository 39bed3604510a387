import type * as Pg from "pg";

import { FrameworkError } from "#core/errors.js";
import type { Compacted } from "../sql/sql-database.js";
import { STATEMENT_TIMEOUT_MS } from "./postgres-connections.js";

const DAY_MS = 86_400_000;
const LEFT = "PostgreSQL's write-ahead log, its replicas' and backups keep old texts until they are recycled";

type Notice = Partial<Pick<Pg.DatabaseError, "code" | "detail">> & { readonly message?: string | undefined };

/** One after another: each is locked while it is rewritten. Throws where one could not be. */
export async function compactTables(client: Pg.ClientBase, tables: readonly string[]): Promise<Compacted> {
  const notices: Notice[] = [];
  const note = (notice: Notice): void => void notices.push(notice);
  const left: string[] = [];
  client.on("notice", note);
  try {
    await client.query("SET statement_timeout = 0");
    for (const table of tables) {
      notices.length = 0;
      const text = `VACUUM (FULL, VERBOSE) ${table}`;
      await client.query({ text, query_timeout: DAY_MS } as Pg.QueryConfig);
      // Of a table that belongs to another role: it is skipped.
      const refused = notices.find(({ code }) => code !== "00000");
      if (refused !== undefined)
        throw new FrameworkError("STORE_UNAVAILABLE", `${text}: ${refused.message ?? "refused"}`);
      // "N dead row versions cannot be removed yet", in whatever language.
      const seen = notices.reduce((sum, { detail }) => sum + Number(/\d+/.exec(detail ?? "")?.[0] ?? 0), 0);
      if (seen > 0)
        left.push(
          `${table}: ${seen} old rows are seen by a transaction that is open: do it again when it ended`,
        );
    }
    return { isDone: left.length === 0, left: [...left, LEFT] };
  } finally {
    client.off("notice", note);
    await client.query(`SET statement_timeout = ${STATEMENT_TIMEOUT_MS}`).catch(() => {});
  }
}

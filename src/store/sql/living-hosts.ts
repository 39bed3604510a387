import type { SqlDatabase } from "./sql-database.js";

/**
 * Selects the ids, or services, of hosts with a lease, for NOT IN: a NULL among them would make it false.
 * A lease that began in the future is of a clock that was set back since: it is over.
 */
export const livingHosts = (
  { dialect: { now }, tables }: Pick<SqlDatabase, "dialect" | "tables">,
  column: "id" | "service" = "id",
): string =>
  `SELECT ${column} FROM ${tables.host} WHERE id IS NOT NULL AND until > ${now} AND until - 2 * ttl <= ${now}`;

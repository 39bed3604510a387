import { OperatorLog } from "#inspector/operators/operator-log.js";

/** Where nothing of operators is looked at. */
export const NO_OPERATORS = new OperatorLog({
  sink: undefined,
  onFailure: "log",
  info: () => {},
  reporter: () => {},
});

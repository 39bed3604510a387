import { Empty } from "../parts/said.js";
import { To } from "../parts/to.js";
import type { ViewProps } from "./view.js";

export function NowhereView({ path }: ViewProps) {
  return (
    <div class="view">
      <div class="head">
        <h1>Nowhere</h1>
      </div>
      <Empty title={`There is no view ${path.join("/")}`}>
        The <To path={["overview"]}>overview</To> leads everywhere.
      </Empty>
    </div>
  );
}

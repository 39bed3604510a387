import { Link } from "../parts/link.js";
import { Empty } from "../parts/notice.js";
import type { ViewProps } from "./view.js";

export function NotFoundView({ path }: ViewProps) {
  return (
    <div class="view">
      <div class="head">
        <h1>Not found</h1>
      </div>
      <Empty title={`Unknown view: ${path.join("/")}`}>
        Back to the <Link path={["overview"]}>overview</Link>.
      </Empty>
    </div>
  );
}

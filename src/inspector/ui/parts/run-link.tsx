import { Link } from "./link.js";

/** Links to a traced run by its id; renders nothing without one. */
export function RunLink({ id, children }: { readonly id: string | null; readonly children: string }) {
  if (id === null) return null;
  return (
    <span>
      {children}{" "}
      <Link path={["runs", id]} params={{ traced: "1" }} class="mono">
        {id}
      </Link>
    </span>
  );
}

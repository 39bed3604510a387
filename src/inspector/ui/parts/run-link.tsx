import { Link } from "./link.js";

/** To a run among the traces, by the id that an Inspector gave it; nothing where none is known. */
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

import { Link } from "./link.js";

/** Links to the audit events of a run, a letter or a node. */
export function AuditLink({ of }: { readonly of: { readonly run: string } | { readonly target: string } }) {
  return (
    <Link path={["audit"]} params={of} title="Audit events recorded by operators and steps">
      Audit events
    </Link>
  );
}

import { api } from "../../client/api.js";
import { useResource } from "../../client/resource.js";

/** The node's input in the newest stored run, if payloads are captured in full. */
export function useNewestInput(node: string | undefined): unknown {
  const { value } = useResource(node === undefined ? undefined : `newest input ${node}`, async () => {
    const { traces } = await api.traces({ node: node ?? "", limit: 1 });
    if (traces[0] === undefined) return { input: undefined };
    const { nodes } = await api.trace(traces[0].run_id);
    const input = nodes.find((visit) => visit.node === node)?.input;
    return { input: input?.kind === "full" ? input.value : undefined };
  });
  return value?.input;
}

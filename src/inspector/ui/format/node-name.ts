// The one name of a node on the page: the path in its circuit, from its id.

export { AROUND } from "../../api/leading-nodes.js";

/** "orders/pay" is "pay"; "orders:guard/Limit" is "Limit"; "orders:in" is "input". */
export function nodeName(id: string): string {
  return id
    .replace(/:(in|out)$/, ":$1put")
    .replace(/:(?:guard|layer)\//g, "/")
    .replace(/^[^/:]*[/:]/, "")
    .replace(/:(input|output|join|undo)$/, " $1")
    .replace(/%(?:25|2f|23|3a)/g, decodeURIComponent);
}

/** "orders · pay". */
export const nodeIn = (circuit: string, id: string): string => `${circuit} · ${nodeName(id)}`;

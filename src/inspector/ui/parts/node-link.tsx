import { nodeIn, nodeName } from "../format/node-name.js";
import { Link } from "./link.js";

export interface NodeLinkProps {
  readonly circuit: string;
  /** The node's id in the Schematic. */
  readonly node: string;
  /** True where the circuit is not known from the place: "orders · pay". */
  readonly isOfAny?: boolean;
}

/** Links a node in its circuit. */
export const NodeLink = ({ circuit, node, isOfAny = false }: NodeLinkProps) => (
  <Link path={["circuits", circuit]} params={{ node }} title={node}>
    {isOfAny ? nodeIn(circuit, node) : nodeName(node)}
  </Link>
);

/** Where a value was met. */
export interface NodePlace {
  readonly circuit: string;
  /** The node's id in the Schematic. */
  readonly node: string;
}

// One node of the drawing. Its props are texts, not figures: equal texts cause no render.

import { Component } from "preact";

import { duration } from "../../format/duration.js";
import { AROUND, nodeName } from "../../format/node-name.js";
import type { Box } from "../../layout/arrange.js";
import type { Level } from "./figures.js";
import { Glyph } from "./glyphs.js";

export interface NodeBoxProps {
  readonly box: Box;
  readonly href: string;
  readonly rate: string;
  /** "p99 1.24 ms", or the share of time. */
  readonly figure: string;
  readonly errors: string;
  readonly refused: string;
  /** Of a closed subgraph: the name of the node of which `figure` is. */
  readonly slowest: string;
  readonly heat: Level;
  readonly isSelected: boolean;
  /** True if an enabled breakpoint is set here. */
  readonly isArmed: boolean;
  /** Number of runs held here. */
  readonly held: number;
  /** For a subgraph, the link that opens or closes it. */
  readonly toggle: string | undefined;
}

export class NodeBox extends Component<NodeBoxProps> {
  override shouldComponentUpdate(next: NodeBoxProps): boolean {
    const before = new Map(Object.entries(this.props));
    return Object.entries(next).some(([key, value]) => !Object.is(value, before.get(key)));
  }

  override render() {
    const { box, href, isSelected, isArmed, held, heat, toggle, figure, rate } = this.props;
    const { node, shape, x, y, width, height } = box;
    const trouble = troubleOf(this.props);
    const name = nodeName(node.id);
    const words = [name, node.kind, rate, figure, trouble.text]
      .concat(held > 0 ? `${held} held` : "", isArmed ? "breakpoint" : "")
      .filter((word) => word !== "");
    return (
      <div
        class={`node ${shape} ${node.kind.toLowerCase()} ${held > 0 ? "holding" : ""}`}
        style={{ left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px`, ...heatOf(heat) }}
      >
        <a
          href={href}
          title={`${name}\n${node.kind}`}
          aria-label={words.join(", ")}
          aria-current={isSelected ? "true" : undefined}
          data-node={node.id}
        >
          <span class="name">
            {shape !== "pill" && <Glyph kind={node.kind} />}
            <span class="cut">{name}</span>
          </span>
          <Body {...this.props} />
        </a>
        {trouble.text !== "" && !AROUND.has(node.kind) && <Leaves shape={shape} tone={trouble.tone} />}
        {isArmed && <i class="armed" />}
        {held > 0 && <span class="held">{held} held</span>}
        {toggle !== undefined && (
          <a
            href={toggle}
            class="toggle"
            aria-label={`${shape === "group" ? "Close" : "Open"} ${name}`}
            aria-expanded={shape === "group"}
          >
            {shape === "group" ? "−" : "+"}
          </a>
        )}
      </div>
    );
  }
}

function Body(props: NodeBoxProps) {
  const { box, rate, figure, slowest } = props;
  const trouble = troubleOf(props);
  const problem = <span class={trouble.tone}>{trouble.text}</span>;
  switch (box.shape) {
    case "pill":
      return null;
    case "slim":
      return trouble.text === "" ? <span>{rate}</span> : problem;
    case "group":
      return (
        <span class="values">
          <span>{rate}</span>
          {problem}
        </span>
      );
    case "step":
      return (
        <>
          <span class="values">
            <span>{rate}</span>
            <span>{figure}</span>
          </span>
          {problem}
          <span class="dim cut">{slowest === "" ? marksOf(box.node) : `slowest: ${slowest}`}</span>
        </>
      );
  }
}

/**
 * Marks a node at which runs end: to the right of a guard, else below. A Schematic does not tell
 * which steps can fail.
 */
const Leaves = ({ shape, tone }: { readonly shape: Box["shape"]; readonly tone: string }) => (
  <svg class={`leaves ${tone}`} width="16" height="16" aria-hidden="true">
    <path class="way" d={shape === "slim" ? "M0 8h6" : "M8 0v6"} />
    <path d={shape === "slim" ? "M7 5l6 6m0-6l-6 6" : "M5 7l6 6m0-6l-6 6"} />
  </svg>
);

/** The colour of a level, for the stylesheet. */
export const heatOf = (level: number) => ({ "--heat": `var(--heat-${level})` });

/** Errors are red; a refusal is the normal work of a guard. */
function troubleOf({ errors, refused, rate }: NodeBoxProps): {
  readonly text: string;
  readonly tone: string;
} {
  if (errors !== "") return { text: `${errors} errors`, tone: "fault" };
  if (refused !== "") return { text: `${refused} refused`, tone: "refused" };
  return { text: "", tone: rate === "" ? "" : "dim" };
}

/** Properties of the node: retried, time-limited, offloaded. */
function marksOf({ retry, timeout_ms, offload, strategy }: Box["node"]): string {
  const marks: string[] = [];
  if (retry !== undefined) marks.push(`↻${retry.max_retries}`);
  if (timeout_ms !== undefined) marks.push(`≤ ${duration(timeout_ms * 1000)}`);
  if (offload !== undefined) marks.push("offloaded");
  if (strategy !== undefined) marks.push(strategy === "AllMustSucceed" ? "all" : "any");
  return marks.join("  ");
}

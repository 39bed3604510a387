// One node of the drawing. Its props are texts, not figures: equal texts cause no render.

import { Component } from "preact";

import { duration } from "../../format/duration.js";
import { AROUND } from "../../format/node-name.js";
import type { Box } from "../../layout/arrange.js";
import { Glyph } from "./glyphs.js";
import type { Heat } from "./heat.js";

export interface NodeBoxProps {
  readonly box: Box;
  readonly href: string;
  readonly rate: string;
  readonly p99: string;
  readonly errors: string;
  readonly refused: string;
  readonly heat: Heat["level"];
  readonly heatText: string;
  readonly isSelected: boolean;
  /** True if an enabled breakpoint is set here. */
  readonly isArmed: boolean;
  /** Number of runs held here. */
  readonly held: number;
  /** For a subgraph, the label of the action that opens or closes it. */
  readonly toggle: string | undefined;
}

export class NodeBox extends Component<NodeBoxProps> {
  override shouldComponentUpdate(next: NodeBoxProps): boolean {
    const before = this.props as unknown as Readonly<Record<string, unknown>>;
    return Object.entries(next).some(([key, value]) => !Object.is(value, before[key]));
  }

  override render() {
    const { box, href, isSelected, isArmed, held, heat, heatText, p99, rate } = this.props;
    const trouble = troubleOf(this.props);
    const { node, shape } = box;
    const words = [node.label, node.kind, rate, p99 === "" ? "" : `p99 ${p99}`, trouble.text, heatText]
      .concat(held > 0 ? `${held} held` : "", isArmed ? "breakpoint" : "")
      .filter((word) => word !== "" && word !== "–");
    return (
      <g
        class={`node ${shape} ${node.kind.toLowerCase()} heat-${heat}`}
        transform={`translate(${box.x} ${box.y})`}
      >
        <a
          href={href}
          aria-label={words.join(", ")}
          aria-current={isSelected ? "true" : undefined}
          data-node={node.id}
        >
          <title>{`${node.label}\n${node.kind}${heatText === "" ? "" : `\n${heatText}`}`}</title>
          <Body {...this.props} />
        </a>
        {trouble.text !== "" && !AROUND.has(node.kind) && <Leaves box={box} tone={trouble.tone} />}
        {isArmed && <circle class="armed" cx={box.width} cy="0" r="4" />}
        {held > 0 && <Held box={box} held={held} />}
        {this.props.toggle !== undefined && <Toggle box={box} href={this.props.toggle} />}
      </g>
    );
  }
}

function Body(props: NodeBoxProps) {
  switch (props.box.shape) {
    case "end":
      return <End {...props} />;
    case "slim":
      return <Slim {...props} />;
    case "group":
      return <Group {...props} />;
    case "step":
      return <Step {...props} />;
  }
}

function End({ box: { node, width, height } }: NodeBoxProps) {
  return (
    <>
      <rect class="shape" width={width} height={height} rx={height / 2} />
      <text x={width / 2} y="16" text-anchor="middle" class="small">
        {node.kind === "Ingress" ? "in" : "out"}
      </text>
    </>
  );
}

function Slim(props: NodeBoxProps) {
  const { box, rate } = props;
  const { node, width, height } = box;
  const trouble = troubleOf(props);
  return (
    <>
      <rect class="shape" width={width} height={height} />
      <rect class="edge" width="4" height={height} />
      <Glyph kind={node.kind} x={12} y={8} />
      <text x="30" y="18">
        {short(node.label, trouble.text === "" ? 20 : 15)}
      </text>
      <text x={width - 8} y="18" text-anchor="end" class={`small ${trouble.tone}`}>
        {trouble.text === "" ? rate : trouble.text}
      </text>
    </>
  );
}

function Step(props: NodeBoxProps) {
  const { box, rate, p99 } = props;
  const { node, width, height } = box;
  const trouble = troubleOf(props);
  const marks = marksOf(node);
  return (
    <>
      <rect class="shape" width={width} height={height} rx="4" />
      <path class="edge" d={`M4 0h0v${height}h0a4 4 0 0 1-4-4V4a4 4 0 0 1 4-4`} />
      <Glyph kind={node.kind} x={12} y={9} />
      <text x="30" y="19" class="name">
        {short(node.label, node.schematic === undefined ? 21 : 17)}
      </text>
      <text x="12" y="38" class="small">
        {rate}
      </text>
      <text x={width - 8} y="38" text-anchor="end" class="small">
        {p99 === "" || p99 === "–" ? "" : `p99 ${p99}`}
      </text>
      <text x="12" y="55" class={`small ${trouble.tone}`}>
        {trouble.text === "" && rate !== "" ? "no errors" : trouble.text}
      </text>
      <text x={width - 8} y="55" text-anchor="end" class="small dim">
        {marks}
      </text>
    </>
  );
}

function Group(props: NodeBoxProps) {
  const { box, rate, p99 } = props;
  const { node, width, height } = box;
  const trouble = troubleOf(props);
  return (
    <>
      <rect class="shape" width={width} height={height} rx="4" />
      <Glyph kind={node.kind} x={32} y={9} />
      <text x="50" y="19" class="name">
        {short(node.label, 40)}
      </text>
      <text x={width - 8} y="19" text-anchor="end" class={`small ${trouble.tone}`}>
        {[rate, p99, trouble.text].filter((text) => text !== "" && text !== "–").join("  ")}
      </text>
    </>
  );
}

function Toggle({ box, href }: { readonly box: Box; readonly href: string }) {
  const isOpen = box.shape === "group";
  const [x, y] = isOpen ? [8, 7] : [box.width - 24, 7];
  return (
    <a
      href={href}
      class="toggle"
      aria-label={`${isOpen ? "Close" : "Open"} ${box.node.label}`}
      aria-expanded={isOpen}
    >
      <rect x={x} y={y} width="16" height="16" rx="2" />
      <path d={isOpen ? `M${x + 4} ${y + 8}h8` : `M${x + 4} ${y + 8}h8M${x + 8} ${y + 4}v8`} />
    </a>
  );
}

function Held({ box, held }: { readonly box: Box; readonly held: number }) {
  return (
    <g class="holding">
      <rect x="-3" y="-3" width={box.width + 6} height={box.height + 6} rx="6" />
      <text x={box.width / 2} y={box.height + 16} text-anchor="middle" class="small">
        {held} held
      </text>
    </g>
  );
}

/**
 * Marks a node at which runs end: to the right of a guard, else below. A Schematic does not tell
 * which steps can fail.
 */
function Leaves({ box, tone }: { readonly box: Box; readonly tone: string }) {
  const { width, height, shape } = box;
  // Beside the wire that leaves the guard in its middle.
  const [x, y] = shape === "slim" ? [width, height - 6] : [width - 24, height];
  const way = shape === "slim" ? `M${x} ${y}h12` : `M${x} ${y}v12`;
  const [endX, endY] = shape === "slim" ? [x + 16, y] : [x, y + 16];
  return (
    <g class={`leaves ${tone}`} aria-hidden="true">
      <path class="way" d={way} />
      <path d={`M${endX - 3} ${endY - 3}l6 6m0-6l-6 6`} />
    </g>
  );
}

/** Errors are red; a refusal is the normal work of a guard. */
function troubleOf({ errors, refused }: NodeBoxProps): { readonly text: string; readonly tone: string } {
  if (errors !== "") return { text: `${errors} errors`, tone: "fault" };
  return refused === "" ? { text: "", tone: "dim" } : { text: `${refused} refused`, tone: "refused" };
}

/** Properties of the node: retried, time-limited, offloaded. */
function marksOf(node: Box["node"]): string {
  const marks: string[] = [];
  if (node.retry !== undefined) marks.push(`↻${node.retry.max_retries}`);
  if (node.timeout_ms !== undefined) marks.push(`≤ ${duration(node.timeout_ms * 1000)}`);
  if (node.offload !== undefined) marks.push("offloaded");
  if (node.strategy !== undefined) marks.push(node.strategy === "AllMustSucceed" ? "all" : "any");
  return marks.join("  ");
}

const short = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;

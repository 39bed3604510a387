import "./bar.css";

export interface BarProps {
  readonly value: number;
  /** The value of a full bar, shared with the neighbouring bars. */
  readonly scale: number;
  /** A second, fainter mark beyond it. */
  readonly beyond?: number | undefined;
  readonly tone?: "plain" | "fault" | "held";
}

/** A length on a shared scale. Hidden from screen readers: the figure is beside it. */
export function Bar({ value, scale, beyond, tone = "plain" }: BarProps) {
  return (
    <span class={`bar ${tone}`} aria-hidden="true">
      {beyond !== undefined && <span class="beyond" style={{ width: partOf(beyond, scale) }} />}
      <span class="value" style={{ width: partOf(value, scale) }} />
    </span>
  );
}

const partOf = (value: number, scale: number): string =>
  scale <= 0 ? "0" : `${Math.max(value > 0 ? 1 : 0, Math.min(100, (value / scale) * 100)).toFixed(2)}%`;

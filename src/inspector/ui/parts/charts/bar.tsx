import "./bar.css";

export interface BarProps {
  readonly value: number;
  /** The value of a full bar, shared by those beside it. */
  readonly scale: number;
  /** A second, fainter mark beyond it. */
  readonly beyond?: number | undefined;
  readonly tone?: "plain" | "fault" | "held";
}

/** A length on a scale that others share. The figure stands beside it: the bar is for the eye alone. */
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

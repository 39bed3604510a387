import "./segments.css";

export interface SegmentsProps<T extends string> {
  readonly label: string;
  readonly options: readonly (readonly [value: T, text: string])[];
  readonly value: T;
  onChoose(value: T): void;
}

/** A choice of a few options, all visible. */
export function Segments<T extends string>({ label, options, value, onChoose }: SegmentsProps<T>) {
  return (
    <fieldset class="segments">
      <legend class="unseen">{label}</legend>
      {options.map(([one, text]) => (
        <button key={one} type="button" aria-pressed={one === value} onClick={() => onChoose(one)}>
          {text}
        </button>
      ))}
    </fieldset>
  );
}

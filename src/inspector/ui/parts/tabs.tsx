import "./tabs.css";

export interface TabsProps<T extends string> {
  readonly label: string;
  readonly tabs: readonly (readonly [value: T, text: string])[];
  readonly value: T;
  onChoose(value: T): void;
}

/** Arrow keys move between tabs. */
export function Tabs<T extends string>({ label, tabs, value, onChoose }: TabsProps<T>) {
  const step = (event: KeyboardEvent, by: number) => {
    const at = tabs.findIndex(([one]) => one === value);
    const next = tabs[(at + by + tabs.length) % tabs.length];
    if (next === undefined) return;
    event.preventDefault();
    onChoose(next[0]);
    const list = event.currentTarget as HTMLElement;
    requestAnimationFrame(() => list.querySelector<HTMLElement>('[aria-selected="true"]')?.focus());
  };
  return (
    <div
      class="tabs"
      role="tablist"
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key === "ArrowRight") step(event, 1);
        if (event.key === "ArrowLeft") step(event, -1);
      }}
    >
      {tabs.map(([one, text]) => (
        <button
          key={one}
          type="button"
          role="tab"
          class="plain"
          aria-selected={one === value}
          tabIndex={one === value ? 0 : -1}
          onClick={() => onChoose(one)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

import { useState } from "preact/hooks";

export interface CopyProps {
  readonly text: string;
  readonly what: string;
  readonly label?: string;
}

/** Confirms the copy in words. */
export function Copy({ text, what, label = "Copy" }: CopyProps) {
  const [said, setSaid] = useState(label);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid("Copied");
    } catch {
      // Browsers allow copying only on a secure origin.
      setSaid("Copy by hand");
    }
    setTimeout(() => setSaid(label), 1500);
  };
  return (
    <button type="button" class="plain" aria-label={said === label ? `Copy ${what}` : said} onClick={copy}>
      {said}
    </button>
  );
}

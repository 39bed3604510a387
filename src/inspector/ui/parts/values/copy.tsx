import { useState } from "preact/hooks";

/** Confirms the copy in words. */
export function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  const [said, setSaid] = useState("Copy");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid("Copied");
    } catch {
      // Browsers allow copying only on a secure origin.
      setSaid("Copy by hand");
    }
    setTimeout(() => setSaid("Copy"), 1500);
  };
  return (
    <button type="button" class="plain" aria-label={said === "Copy" ? `Copy ${what}` : said} onClick={copy}>
      {said}
    </button>
  );
}

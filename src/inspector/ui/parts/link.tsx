// A link within the page.

import type { ComponentChildren } from "preact";

import { placeOf, printPlace } from "../url/place.js";

export interface LinkProps {
  readonly path: readonly string[];
  readonly params?: Readonly<Record<string, string | undefined>>;
  readonly class?: string;
  readonly title?: string;
  readonly current?: boolean;
  readonly children: ComponentChildren;
}

export function Link({ path, params, class: className, title, current, children }: LinkProps) {
  return (
    <a
      href={printPlace(placeOf(path, params))}
      class={className}
      title={title}
      aria-current={current === true ? "page" : undefined}
    >
      {children}
    </a>
  );
}

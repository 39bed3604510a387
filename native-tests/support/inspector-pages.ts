import { after, afterEach, before } from "node:test";
import type { Browser, BrowserContextOptions } from "playwright-core";

import { launchBrowser } from "./browser.js";
import { InspectorFixture } from "./inspector-fixture.js";
import type { FixtureState } from "./inspector-fixture-state.js";
import { InspectorReader } from "./inspector-reader.js";

interface Opening extends BrowserContextOptions {
  /** Of the page: "&/runs". Default: the overview. */
  readonly place?: string;
}

/** For the tests of one `describe`: a browser, and servers that are stopped when their test is over. */
export function inspectorPages() {
  let browser: Browser | undefined;
  const fixtures: InspectorFixture[] = [];
  before(async () => {
    browser = await launchBrowser();
  });
  afterEach(async () => {
    await Promise.all(fixtures.splice(0).map((fixture) => fixture.stop()));
  });
  after(() => browser?.close());

  const read = (link: string, options?: BrowserContextOptions): Promise<InspectorReader> =>
    InspectorReader.open(browser as Browser, link, options);

  async function serve(state: FixtureState): Promise<InspectorFixture> {
    const fixture = await new InspectorFixture(state).start();
    fixtures.push(fixture);
    return fixture;
  }

  async function opened(state: FixtureState, { place, ...options }: Opening = {}) {
    const fixture = await serve(state);
    return { fixture, reader: await read(fixture.link(place), options) };
  }

  return { read, serve, opened };
}

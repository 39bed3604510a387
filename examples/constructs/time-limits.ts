// A step with a time limit. Its signal fires when the time is up; the run does not wait for it.

import { Axon, busKey, transition } from "framework";

interface WeatherService {
  /** Metres. Gives up when the signal fires. */
  waves(harbour: string, signal: AbortSignal): Promise<number>;
}

const WeatherService = busKey<WeatherService>()("WeatherService");

const waves = transition({
  name: "waves",
  uses: { weatherService: WeatherService },
  run: (harbour: string, bus) => bus.weatherService.waves(harbour, bus.signal),
});

export const clearance = Axon.start<string>("clearance")
  .thenWithTimeout(waves, 200)
  .thenFn("decide", (metres) => (metres > 4 ? "stay" : "sail"));

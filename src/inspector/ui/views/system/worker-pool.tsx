// The worker pools of all processes, merged.

import type { PoolMetrics } from "../../../api/metrics.js";
import { duration } from "../../format/duration.js";
import { count } from "../../format/quantity.js";
import { Bar } from "../../parts/charts/bar.js";
import { Row, Section } from "./section.js";

type Step = PoolMetrics["steps"][number];

export function WorkerPool({ pool }: { readonly pool: PoolMetrics }) {
  const { threads, running, waiting, queue, steps } = pool;
  return (
    <Section title="Worker pool">
      <table aria-label="Worker pool">
        <tbody>
          <Row name="Threads">
            <span class="store">
              <Bar value={running} scale={threads} />
              <span>
                {count(running)} of {count(threads)} busy
              </span>
            </span>
          </Row>
          <Row name="Queue">
            <span class="store">
              <Bar value={waiting} scale={queue} />
              <span>
                {count(waiting)} of {count(queue)} waiting
              </span>
            </span>
          </Row>
        </tbody>
      </table>
      <table class="jobs" aria-label="Offloaded steps">
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col">Jobs</th>
            <th scope="col">Wait</th>
            <th scope="col">Run time</th>
            <th scope="col">Failed</th>
          </tr>
        </thead>
        <tbody>
          {steps.map((step) => (
            <tr key={step.step}>
              <th scope="row" class="mono">
                {step.step}
              </th>
              <td>{count(step.jobs)}</td>
              <td>{spread(step.waited)}</td>
              <td>{spread(step.ran)}</td>
              <td>{notDone(step)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="dim">p50 and p99, last minute.</p>
    </Section>
  );
}

const spread = (of: Step["waited"]): string =>
  of === null ? "–" : `${duration(of.p50_us)}, ${duration(of.p99_us)}`;

/** "3 POOL_FULL, 1 WORKER_CRASHED" */
function notDone({ ends }: Step): string {
  const other = ends.filter(({ end }) => end !== "done");
  return other.length === 0 ? "none" : other.map(({ end, count: n }) => `${count(n)} ${end}`).join(", ");
}

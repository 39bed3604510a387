// Stored runs, which another process can resume.

import { type Static, Type } from "@sinclair/typebox";

import { RUN_STATE_NAMES, RUN_STATES, type UnfinishedState } from "#core/ports/run-state.js";

import {
  Amount,
  Count,
  closed,
  envelope,
  Json,
  Label,
  Labels,
  Name,
  oneOf,
  orNull,
  Text,
  Time,
  WorkersSilent,
} from "./shapes.js";
import { Payload } from "./traces.js";

const RunState = oneOf(...RUN_STATE_NAMES);
const isUnfinished = (state: string): state is UnfinishedState =>
  !RUN_STATES[state as keyof typeof RUN_STATES].isOver;

/** What an unended run waits for. `run:ID` among the signals is the end of that run. */
const Wait = orNull(Type.Object({ signals: Type.Array(Name), until: orNull(Time) }, closed));

/** Members of a listed and of a shown run. */
const place = {
  run_id: Name,
  circuit: Name,
  state: RunState,
  began_at: Time,
  /** Time of its latest log entry: since then it is at its node, or waits. */
  last_at: Time,
  wait: Wait,
  /** The host that owns it; null for none. `is_alive` is null if the store cannot tell. */
  owner: orNull(Type.Object({ host: Name, is_alive: orNull(Type.Boolean()) }, closed)),
  /** A cancellation, requested or done. Its actor is shown to operators. */
  cancel: orNull(Type.Object({ reason: Text, at: orNull(Time), actor: orNull(Text) }, closed)),
  /** Why no code of a server can resume it; null if it fits, or a host runs it. */
  unfit: orNull(Text),
};

const UnfinishedRow = Type.Object(
  {
    ...place,
    /** The node at work, or at which it resumes; null if the store does not list it. */
    node: orNull(Name),
    /** Trace id of the latest host of the run, if telemetry exports the trace and the store knows it. */
    trace_id: orNull(Name),
    labels: Labels,
  },
  closed,
);
export const UnfinishedQuery = Type.Object(
  {
    circuit: Type.Optional(Name),
    state: Type.Optional(oneOf(...RUN_STATE_NAMES.filter(isUnfinished))),
    /** "order:123". Finds runs in stores that index labels. */
    label: Type.Optional(Label),
    /** Default 100. */
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
  },
  closed,
);
export type UnfinishedQuery = Static<typeof UnfinishedQuery>;
export const UnfinishedRuns = envelope(
  "unfinished_runs",
  Type.Object({ runs: Type.Array(UnfinishedRow), workers_silent: WorkersSilent }, closed),
);

export const RunListQuery = Type.Object(
  {
    circuit: Type.Optional(Name),
    state: Type.Optional(RunState),
    label: Type.Optional(Label),
    /** Hash of the person that runs are about: 43 characters of base64url. */
    subject: Type.Optional(Name),
    /** Runs that began at this time or later, and before `until`. */
    since: Type.Optional(Time),
    until: Type.Optional(Time),
    /** Default 100. */
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
    cursor: Type.Optional(Name),
  },
  closed,
);
export type RunListQuery = Static<typeof RunListQuery>;
export const RunList = envelope(
  "run_list",
  Type.Object(
    {
      runs: Type.Array(Type.Object({ ...UnfinishedRow.properties, ended_at: orNull(Time) }, closed)),
      /** For older runs; null behind the last, and where several processes answer. */
      cursor: orNull(Name),
      /** Number of stores that list only unfinished runs. */
      stores_unlisted: Count,
      workers_silent: WorkersSilent,
    },
    closed,
  ),
);

export const KeptRun = Type.Object(
  {
    ...place,
    /** Version of the Axon that ran it last. */
    version: Text,
    /** True if it has failed, and its completed steps are being compensated. */
    is_undoing: Type.Boolean(),
    /** Why it failed; null otherwise. */
    fault: orNull(Type.Object({ code: orNull(Name), title: Text }, closed)),
    /** Trace id of the latest host of the run, if telemetry exports the trace. */
    trace_id: orNull(Name),
    /** Id of that run among the traces, if an Inspector traced it. Its trace may be evicted. */
    newest_run_id: orNull(Name),
    /** The node at which it resumes. */
    node: Name,
    label: Name,
    labels: Labels,
    /** Withheld for a run that is not in flight in the asked process. */
    input: Payload,
    /** Names of the stored Bus keys. */
    bus: Type.Array(Name),
    /** Ids of completed nodes with a compensation, in the order of completion. */
    completed: Type.Array(Name),
    /** The log: each entry's event, time and node. */
    entries: Type.Array(
      Type.Object(
        {
          kind: Name,
          at: Time,
          node: orNull(Name),
          /** Number of the process that begins or resumes the run with it, from 1. */
          epoch: orNull(Count),
          wait: Wait,
          /** What ended a wait. The sender is shown to operators. */
          woken: orNull(
            Type.Object(
              {
                by: oneOf("time", "signal"),
                signal: orNull(Name),
                id: orNull(Name),
                actor: orNull(Text),
                payload: Payload,
              },
              closed,
            ),
          ),
        },
        closed,
      ),
    ),
    entries_dropped: Count,
  },
  closed,
);
export type KeptRun = Static<typeof KeptRun>;
export const OneKeptRun = envelope("run", KeptRun);

export const Hosts = envelope(
  "hosts",
  Type.Object(
    {
      /** The host of the newest beat first. */
      hosts: Type.Array(
        Type.Object(
          {
            host: Name,
            is_alive: Type.Boolean(),
            /** Since its last beat, by the clock of the store. */
            beat_ago_ms: Amount,
            /** Until its lease ends. */
            lease_left_ms: Amount,
            /** Number of unfinished runs that it owns. */
            runs: Count,
            /** Null from a process of an earlier release, and of one without durable runs. */
            pid: orNull(Count),
            machine: orNull(Text),
            /** Of its application, by the package.json; null as above, and where that has none. */
            name: orNull(Text),
            version: orNull(Text),
            /** When its process began, by its own clock. */
            began_at: orNull(Time),
            axons: Type.Array(Type.Object({ name: Name, version: Text }, closed)),
          },
          closed,
        ),
      ),
      /** Unfinished runs of versions that the asked process does not serve, as counted in the last hour, and what becomes of them here. */
      draining: Type.Array(
        Type.Object(
          { circuit: Name, version: Text, way: oneOf("migrates", "old code", "unfit"), runs: Count },
          closed,
        ),
      ),
      /** Number of stores that cannot list their hosts. */
      stores_unlisted: Count,
      workers_silent: WorkersSilent,
    },
    closed,
  ),
);

export const ResumeRequest = Type.Object(
  {
    /** Also resumes a run that is at work. The host that runs it is stopped at its next entry. */
    force: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type ResumeRequest = Static<typeof ResumeRequest>;

export const CancelRequest = Type.Object(
  {
    /** Recorded in the run's fault and in the audit log. */
    reason: Type.String({ minLength: 1, maxLength: 1000 }),
    /** Takes the run from the process that runs it and undoes it here. Its step at work is not undone. */
    force: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type CancelRequest = Static<typeof CancelRequest>;

export const SignalRequest = Type.Object(
  {
    /** One of those that its circuit waits for; kept for later if the run does not wait for it now. */
    name: Name,
    /** Of the schema of the signal. */
    payload: Json,
    /** A run keeps one signal of an id. Default: a new one. */
    id: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  },
  closed,
);
export type SignalRequest = Static<typeof SignalRequest>;

/** `woken`: it waits for it, and goes on. `known`: this signal was sent before. */
const SignalResult = oneOf("woken", "kept", "known");
export type SignalResult = Static<typeof SignalResult>;

/** Members of the answer to what was done with a run. */
const done = { run_id: Name, circuit: Name, node: Name };

export const SignalledRun = envelope(
  "run_signalled",
  Type.Object({ ...done, signal: Name, signal_id: Name, result: SignalResult }, closed),
);

export const WokenRun = envelope("run_woken", Type.Object({ ...done, result: oneOf("woken") }, closed));

export const StartRequest = Type.Object(
  {
    circuit: Name,
    /** Of its input schema. Absent: undefined. */
    input: Type.Optional(Json),
    /** Default: a new one. */
    run_id: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  },
  closed,
);
export type StartRequest = Static<typeof StartRequest>;

/** `known`: a run of this id exists, and none was begun. */
export const StartedRun = envelope(
  "run_started",
  Type.Object({ run_id: Name, circuit: Name, result: oneOf("begun", "known") }, closed),
);

export const ForgottenRun = envelope(
  "run_forgotten",
  Type.Object({ ...done, result: oneOf("forgotten") }, closed),
);

export const CancelledRun = envelope(
  "run_cancelled",
  Type.Object(
    {
      run_id: Name,
      circuit: Name,
      /** The node at which it was. */
      node: Name,
      /**
       * `cancelling`, with status 202: it is not undone yet; the process that runs it does that, or the
       * next one. `faulted`: compensation had already begun, with this outcome. `running`: as
       * `cancelling`, from a worker of an earlier build.
       */
      result: oneOf("cancelling", "running", "cancelled", "faulted"),
      outcome: Payload,
    },
    closed,
  ),
);

export const ResumedRun = envelope(
  "run_resumed",
  Type.Object(
    {
      run_id: Name,
      /** Null from a worker of an earlier build. */
      circuit: orNull(Name),
      /** The node at which it resumed; null like the circuit. */
      node: orNull(Name),
      /** `running`: the run takes longer than the response waits. */
      result: oneOf("running", "completed", "faulted"),
      /** The name of a fault; withheld for a completed run; off if it is running. */
      outcome: Payload,
    },
    closed,
  ),
);

import type { AnswerCounts } from '../../answers/answerCache.ts';
import type { Archive } from '../../archive/setup/archive.ts';
import type { Client } from '../../chain/client.ts';
import type { StreamStats } from '../../graphql/live/liveQueries.ts';
import type { FaultCounts } from '../../server/observability/faults.ts';
import type { SpanCounts } from '../../server/observability/openTelemetry.ts';
import type { RequestCounts } from '../../server/observability/requestLog.ts';
import type { AuthStats, NodeEventStats } from '../../server/observability/stats.ts';
import type { SharedStore } from '../../shared/sharedStore.ts';

/** The sources of the metrics. They are called when the metrics are read. */
export interface MetricSources {
  readonly client: Client;
  readonly requests: () => RequestCounts;
  readonly subscriptions: () => StreamStats;
  /** Statistics of the subscriptions on sockets of the node RPC. */
  readonly nodeEvents: () => NodeEventStats;
  /** Counters of the cached answers of each surface. */
  readonly answers: () => readonly AnswerCounts[];
  /** Number of open WebSockets. */
  readonly sockets: () => number;
  /** Statistics of authentication. undefined if no tokens are required. */
  readonly auth: (() => AuthStats) | undefined;
  /** The archive. undefined if nothing is recorded. */
  readonly archive: Archive | undefined;
  /** What several processes share. undefined if this is the only one. */
  readonly shared: SharedStore | undefined;
  /** Number of faults that failed no request. */
  readonly faults: () => FaultCounts;
  /** Number of dropped log lines. */
  readonly droppedLines: (() => number) | undefined;
  /** What has become of the spans of traces. undefined if traces are off. */
  readonly spans: (() => SpanCounts) | undefined;
  readonly version: string;
  /** Whether this process is a worker, whose primary counts the calls to nodes and the archive. */
  readonly isWorker: boolean;
}

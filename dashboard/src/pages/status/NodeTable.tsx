import { Badge } from '../../components/Badge.tsx';
import { Table } from '../../components/Table.tsx';
import { count } from '../../format/numbers.ts';
import { duration } from '../../format/times.ts';
import type { StatusQuery } from '../../gen/graphql.ts';
import { texts } from '../../language/language.ts';
import { serverTexts } from '../../language/server/texts.ts';

/** The nodes of the server and how they are. */
export function NodeTable({ of }: { readonly of: StatusQuery['nodes'] }) {
  return (
    <Table
      name={serverTexts.value.status.nodes}
      rows={of}
      keyOf={({ alias }) => alias}
      columns={[
        {
          name: serverTexts.value.status.node,
          class: 'fill',
          cell: ({ alias, inUse, status }) => (
            <>
              <span class="strong">{alias}</span>
              {inUse ? <span class="muted small"> {serverTexts.value.status.inUse}</span> : null}
              <span class="block small muted">
                {status === null ? '' : `${status.nodeInfo.moniker}, CometBFT ${status.nodeInfo.version}`}
              </span>
            </>
          ),
        },
        {
          name: serverTexts.value.status.health,
          cell: ({ health, lastError, consecutiveFailures }) => (
            <>
              <Badge of={health} />
              {consecutiveFailures > 0 && lastError !== null ? <span class="block small muted">{lastError}</span> : null}
            </>
          ),
        },
        {
          name: texts.value.words.height,
          class: 'num',
          sort: ({ height }) => height,
          cell: ({ height }) => (height === null ? '–' : count(height)),
        },
        {
          name: serverTexts.value.status.behind,
          class: 'num',
          sort: ({ lag }) => lag,
          cell: ({ lag }) => (lag === null ? '–' : count(lag)),
        },
        {
          name: serverTexts.value.status.oldest,
          class: 'num wide',
          cell: ({ earliestHeight }) => (earliestHeight === null ? '–' : count(earliestHeight)),
        },
        {
          name: serverTexts.value.status.latency,
          class: 'num wide',
          cell: ({ latency }) => (latency === null ? '–' : duration(latency)),
        },
        {
          name: serverTexts.value.status.peers,
          class: 'num wide',
          cell: ({ netInfo }) => (netInfo === null ? '–' : count(netInfo.nPeers)),
        },
        {
          name: serverTexts.value.status.index,
          class: 'wide',
          cell: ({ txIndex }) => (txIndex === null ? '–' : txIndex ? texts.value.words.yes : texts.value.words.no),
        },
      ]}
    />
  );
}

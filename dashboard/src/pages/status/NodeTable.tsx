import { Badge } from '../../components/Badge.tsx';
import { Table } from '../../components/Table.tsx';
import { count } from '../../format/numbers.ts';
import { duration } from '../../format/times.ts';
import type { StatusQuery } from '../../gen/graphql.ts';

/** The nodes of the server and how they are. */
export function NodeTable({ of }: { readonly of: StatusQuery['nodes'] }) {
  return (
    <Table
      name="Nodes"
      rows={of}
      keyOf={({ alias }) => alias}
      columns={[
        {
          name: 'Node',
          class: 'fill',
          cell: ({ alias, inUse, status }) => (
            <>
              <span class="strong">{alias}</span>
              {inUse ? <span class="muted small"> in use</span> : null}
              <span class="block small muted">
                {status === null ? '' : `${status.nodeInfo.moniker}, CometBFT ${status.nodeInfo.version}`}
              </span>
            </>
          ),
        },
        {
          name: 'Health',
          cell: ({ health, lastError, consecutiveFailures }) => (
            <>
              <Badge of={health} />
              {consecutiveFailures > 0 && lastError !== null ? <span class="block small muted">{lastError}</span> : null}
            </>
          ),
        },
        {
          name: 'Height',
          class: 'num',
          sort: ({ height }) => height,
          cell: ({ height }) => (height === null ? '–' : count(height)),
        },
        { name: 'Behind', class: 'num', sort: ({ lag }) => lag, cell: ({ lag }) => (lag === null ? '–' : count(lag)) },
        {
          name: 'Oldest block',
          class: 'num wide',
          cell: ({ earliestHeight }) => (earliestHeight === null ? '–' : count(earliestHeight)),
        },
        { name: 'Latency', class: 'num wide', cell: ({ latency }) => (latency === null ? '–' : duration(latency)) },
        { name: 'Peers', class: 'num wide', cell: ({ netInfo }) => (netInfo === null ? '–' : count(netInfo.nPeers)) },
        { name: 'Index', class: 'wide', cell: ({ txIndex }) => (txIndex === null ? '–' : txIndex ? 'yes' : 'no') },
      ]}
    />
  );
}

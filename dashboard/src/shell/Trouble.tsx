import { Time } from '../components/Time.tsx';
import { isStalled, nodes, type UpstreamNode } from '../data/nodes.ts';
import { newest } from '../data/shown.ts';
import { retrying } from '../data/stele.ts';
import { at } from '../routing/router.ts';

const isWell = ({ health }: UpstreamNode): boolean => health === 'HEALTHY';

/** Why no blocks arrive, by the states of the nodes. */
function reasonOf(all: readonly UpstreamNode[] | undefined): string {
  if (all === undefined || all.length === 0) return 'No new block';
  if (all.every((node) => !isWell(node))) return all.length === 1 ? 'The node does not respond' : 'No node responds';
  return 'The chain makes no blocks';
}

/** Codes of failures to reach the server itself. */
const connectionCodes: readonly string[] = ['CONNECTION_FAILED', 'SERVER_SHUTDOWN', 'TOKEN_FAILED'];

/** What keeps the page from showing the newest block, while something does. */
export function Trouble() {
  const error = retrying.value;
  const last = newest.value?.time;
  const since =
    last === undefined ? null : (
      <>
        {' '}
        The last block came <Time of={last} />.
      </>
    );
  const isLost = error !== undefined && connectionCodes.includes(error.code);
  const isLate = !isLost && (isStalled.value || error !== undefined) && at.value === undefined;
  return (
    <div role="status" class="trouble-area">
      {isLost ? (
        <p class="trouble">
          <strong>Reconnecting.</strong> The connection to the server was lost.{since}
        </p>
      ) : null}
      {isLate ? (
        <p class="trouble">
          <strong>{reasonOf(nodes.value)}.</strong>
          {since}{' '}
          {(nodes.value ?? [])
            .filter((node) => !isWell(node))
            .map(
              (node) =>
                `${node.alias}: ${node.health.toLowerCase().replace('_', ' ')}${node.lastError ? `, ${node.lastError}` : ''}`,
            )
            .join('; ')}{' '}
          The page continues by itself.
        </p>
      ) : null}
    </div>
  );
}

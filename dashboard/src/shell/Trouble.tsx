import { Time } from '../components/Time.tsx';
import { isStalled, nodes, type UpstreamNode } from '../data/nodes.ts';
import { newest } from '../data/shown.ts';
import { retrying } from '../data/stele.ts';
import { count } from '../format/numbers.ts';
import { at } from '../routing/router.ts';

const isWell = ({ health }: Pick<UpstreamNode, 'health'>): boolean => health === 'HEALTHY';

/** Whether a node has not reached the newest block that this tab has seen. */
const isBehind = ({ health, height }: UpstreamNode): boolean =>
  health === 'LAGGING' ||
  (isWell({ health }) && height !== null && newest.value !== undefined && BigInt(height) < newest.value.height);

/** A node and what is wrong with it. */
function stateOf(node: UpstreamNode): string {
  const { alias, health, height, lastError } = node;
  if (isBehind(node)) return `${alias}: at block ${count(height ?? 0)}`;
  return `${alias}: ${health.toLowerCase().replace('_', ' ')}${lastError ? `, ${lastError}` : ''}`;
}

/** Why no blocks arrive, by the states of the nodes. */
function reasonOf(all: readonly UpstreamNode[] | undefined): string {
  if (all === undefined || all.length === 0) return 'No new block';
  const responding = all.filter((node) => isWell(node) || isBehind(node));
  if (responding.length === 0) return all.length === 1 ? 'The node does not respond' : 'No node responds';
  if (!responding.every(isBehind)) return 'The chain makes no blocks';
  return all.length === 1 ? 'The node is behind the chain' : 'Every node that responds is behind the chain';
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
            .filter((node) => !isWell(node) || isBehind(node))
            .map(stateOf)
            .join('; ')}{' '}
          The page continues by itself.
        </p>
      ) : null}
    </div>
  );
}

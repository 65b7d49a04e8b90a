import { Time } from '../components/Time.tsx';
import { isStalled, nodes, type UpstreamNode } from '../data/nodes.ts';
import { newest, wasReset } from '../data/shown.ts';
import { outage, retrying } from '../data/stele.ts';
import { count } from '../format/numbers.ts';
import { at } from '../routing/router.ts';

const isWell = ({ health }: Pick<UpstreamNode, 'health'>): boolean => health === 'HEALTHY';

/** Whether a node has not reached the newest block that this tab has seen. */
const isBehind = ({ health, height }: UpstreamNode): boolean =>
  health === 'LAGGING' ||
  (isWell({ health }) && height !== null && newest.value !== undefined && BigInt(height) < newest.value.height);

/** Whether a node has blocks that this tab has not seen. */
const isAhead = ({ height }: UpstreamNode): boolean =>
  height !== null && (newest.value === undefined || BigInt(height) > newest.value.height);

/** What the last call to a node failed with, by its code. */
const nodeProblems: Readonly<Record<string, string>> = {
  NODE_UNREACHABLE: 'it cannot be reached',
  NODE_TIMEOUT: 'it responds too slowly',
  NODE_INVALID_RESPONSE: 'its answers are not valid',
  NODE_INCONSISTENT: 'its blocks differ from those of other nodes',
};

/** A node and what is wrong with it. */
function stateOf(node: UpstreamNode): string {
  const { alias, health, height, lastError } = node;
  if (isBehind(node)) return `${alias}: at block ${count(height ?? 0)}`;
  return `${alias}: ${health.toLowerCase().replace('_', ' ')}${lastError ? `, ${nodeProblems[lastError] ?? 'it failed'}` : ''}`;
}

/** Why no blocks arrive, by the states of the nodes. undefined if nothing is wrong with them and blocks are not late yet: a stream begins again. */
function reasonOf(all: readonly UpstreamNode[] | undefined): string | undefined {
  if (all === undefined || all.length === 0) return 'No new block';
  const responding = all.filter((node) => isWell(node) || isBehind(node));
  if (responding.length === 0) return all.length === 1 ? 'The node does not respond' : 'No node responds';
  if (!responding.every(isBehind)) {
    if (!isStalled.value) return undefined;
    return responding.some(isAhead) ? 'No new block' : 'The chain makes no blocks';
  }
  return all.length === 1 ? 'The node is behind the chain' : 'Every node that responds is behind the chain';
}

const outages = {
  offline: ['You are offline.', 'The browser has no network.'],
  restarting: ['The server is restarting.', 'It has closed the connection.'],
  unreachable: ['Reconnecting.', 'The server does not answer.'],
} as const;

/** The note that the numbers are those of another chain than before. */
function Reset() {
  return (
    <p class="trouble" data-outage="reset">
      <strong>The chain was started again.</strong> It has the same id and begins at its first block. Everything here is of the
      new chain.{' '}
      <button
        type="button"
        class="button small"
        onClick={() => {
          wasReset.value = false;
        }}
      >
        Close
      </button>
    </p>
  );
}

/** What keeps the page from showing the newest block, while something does. */
export function Trouble() {
  const last = newest.value?.time;
  const [title, text] = outage.value === undefined ? [] : outages[outage.value];
  const isLate = (isStalled.value || retrying.value !== undefined) && at.value === undefined;
  const heading = title ?? (isLate ? reasonOf(nodes.value) : undefined);
  if (heading === undefined)
    return (
      <div role="status" class="trouble-area">
        {wasReset.value ? <Reset /> : null}
      </div>
    );
  return (
    <div role="status" class="trouble-area">
      <p class="trouble" data-outage={outage.value}>
        <strong>{title ?? `${heading}.`}</strong>{' '}
        {text ??
          (nodes.value ?? [])
            .filter((node) => !isWell(node) || isBehind(node))
            .map(stateOf)
            .join('; ')}{' '}
        {last === undefined ? null : (
          <>
            The last block came <Time of={last} />.
          </>
        )}{' '}
        The page continues by itself.
      </p>
    </div>
  );
}

import { enumWords } from '../components/Badge.tsx';
import { Time } from '../components/Time.tsx';
import { isStalled, nodes, type UpstreamNode } from '../data/nodes.ts';
import { newest, wasReset } from '../data/shown.ts';
import { outage, retrying } from '../data/stele.ts';
import { count } from '../format/numbers.ts';
import { texts } from '../language/language.ts';
import { at } from '../routing/router.ts';

const isWell = ({ health }: Pick<UpstreamNode, 'health'>): boolean => health === 'HEALTHY';

/** Whether a node has not reached the newest block that this tab has seen. */
const isBehind = ({ health, height }: UpstreamNode): boolean =>
  health === 'LAGGING' ||
  (isWell({ health }) && height !== null && newest.value !== undefined && BigInt(height) < newest.value.height);

/** Whether a node has blocks that this tab has not seen. */
const isAhead = ({ height }: UpstreamNode): boolean =>
  height !== null && (newest.value === undefined || BigInt(height) > newest.value.height);

/** A node and what is wrong with it. */
function stateOf(node: UpstreamNode): string {
  // By the code that the last call to the node failed with.
  const problems: Readonly<Record<string, string>> = texts.value.nodeProblems;
  const { alias, health, height, lastError } = node;
  if (isBehind(node)) return texts.value.trouble.nodeAt(alias, count(height ?? 0));
  return `${alias}: ${enumWords(health).toLowerCase()}${lastError ? `, ${problems[lastError] ?? texts.value.trouble.nodeFailed}` : ''}`;
}

/** Why no blocks arrive, by the states of the nodes. undefined if nothing is wrong with them and blocks are not late yet: a stream begins again. */
function reasonOf(all: readonly UpstreamNode[] | undefined): string | undefined {
  if (all === undefined || all.length === 0) return texts.value.trouble.noBlock;
  const responding = all.filter((node) => isWell(node) || isBehind(node));
  if (responding.length === 0) return all.length === 1 ? texts.value.trouble.nodeSilent : texts.value.trouble.allSilent;
  if (!responding.every(isBehind)) {
    if (!isStalled.value) return undefined;
    return responding.some(isAhead) ? texts.value.trouble.noBlock : texts.value.trouble.halted;
  }
  return all.length === 1 ? texts.value.trouble.nodeBehind : texts.value.trouble.allBehind;
}

const outages = () =>
  ({
    offline: [texts.value.trouble.offline, texts.value.trouble.offlineWhy],
    restarting: [texts.value.errors.SERVER_SHUTDOWN, texts.value.trouble.restartingWhy],
    unreachable: [texts.value.trouble.reconnecting, texts.value.errors.CONNECTION_FAILED],
  }) as const;

/** The note that the numbers are those of another chain than before. */
function Reset() {
  return (
    <p class="trouble" data-outage="reset">
      <strong>{texts.value.trouble.reset}</strong> {texts.value.trouble.resetWhy}{' '}
      <button
        type="button"
        class="button small"
        onClick={() => {
          wasReset.value = false;
        }}
      >
        {texts.value.trouble.close}
      </button>
    </p>
  );
}

/** What keeps the page from showing the newest block, while something does. */
export function Trouble() {
  const last = newest.value?.time;
  const [title, text] = outage.value === undefined ? [] : outages()[outage.value];
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
            {texts.value.trouble.lastBlock} <Time of={last} />.
          </>
        )}{' '}
        {texts.value.trouble.continues}
      </p>
    </div>
  );
}

import { Code } from '../../components/Code.tsx';
import { Pager } from '../../components/Pager.tsx';
import { Card, Empty, Unread } from '../../components/page/Card.tsx';
import { contractKeyParts } from '../../format/contractKeys.ts';
import type { ContractQuery } from '../../gen/graphql.ts';
import { chainTexts } from '../../language/chain/texts.ts';

type State = NonNullable<ContractQuery['contract']>['state'];
type Entry = NonNullable<State>['nodes'][number];

/** Longest value that is shown whole, in characters. */
const longest = 160;

/** The value of an entry: JSON, or base64. A long one is opened on demand. */
function Value({ of }: { readonly of: Entry }) {
  const text = of.json === null ? of.value : JSON.stringify(of.json);
  if (text.length <= longest) return <code class="break">{text}</code>;
  return (
    <details>
      <summary>
        <code class="break">{text.slice(0, longest)}…</code>
      </summary>
      <Code of={of.json === null ? of.value : JSON.stringify(of.json, null, 2)} />
    </details>
  );
}

/** The key of an entry: the name of a map and the parts of its key. */
function Key({ of }: { readonly of: string }) {
  const [name, ...parts] = contractKeyParts(of);
  return (
    <code class="break" title={of}>
      {name}
      {parts.map((part, index) => (
        <span key={index} class="muted">
          {' '}
          {part}
        </span>
      ))}
    </code>
  );
}

/** The state of a contract, by key. */
export function ContractState({ of }: { readonly of: State }) {
  return (
    <Card title={chainTexts.value.contract.state}>
      {of === null ? <Unread /> : null}
      {of?.nodes.length === 0 ? <Empty>{chainTexts.value.contract.emptyState}</Empty> : null}
      {of === null || of.nodes.length === 0 ? null : (
        <>
          <dl class="entries">
            {of.nodes.map((entry) => (
              <div key={entry.key}>
                <dt>
                  <Key of={entry.key} />
                </dt>
                <dd>
                  <Value of={entry} />
                </dd>
              </div>
            ))}
          </dl>
          <Pager info={of.pageInfo} />
        </>
      )}
    </Card>
  );
}

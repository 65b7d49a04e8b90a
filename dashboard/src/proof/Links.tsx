import type { ComponentChildren } from 'preact';
import { Copy } from '../components/Copy.tsx';
import { Facts } from '../components/page/Facts.tsx';
import { Table } from '../components/Table.tsx';
import { Time } from '../components/Time.tsx';
import { bytes, count, countOf, percent } from '../format/numbers.ts';
import { percentOf } from '../format/tally.ts';
import { urlAt } from '../routing/router.ts';
import { Levels } from './Levels.tsx';
import { levelCounts, type ProofReport } from './report.ts';

interface LinkProps {
  readonly number: number;
  readonly title: string;
  /** Why the link holds. */
  readonly reason: string;
  readonly children: ComponentChildren;
}

function Link({ number, title, reason, children }: LinkProps) {
  return (
    <li class="card proof-link">
      <h2>
        <span class="proof-number" aria-hidden="true">
          {number}
        </span>
        {title}
      </h2>
      <p class="muted">{reason}</p>
      {children}
    </li>
  );
}

function Hash({ of, name }: { readonly of: string; readonly name: string }) {
  return (
    <span class="break">
      <code>{of}</code> <Copy text={of} name={name} />
    </span>
  );
}

/** Why the validators are believed. */
function trustWords({ trust, since, header }: ProofReport): string {
  if (trust === 'FIRST_USE')
    return `This browser had verified no block of the chain before. It believes the validators that the answer names, and from now on those that follow from them. Compare the hash of block ${count(header.height)} with a source that you trust.`;
  return `This browser has verified blocks of this chain since block ${count(since.height)}. The validators follow from the newest of them: it names them, or enough of those that it names signed.`;
}

/** The links of a proof, from the validators to the fields of the answer. */
export function Links({ of }: { readonly of: ProofReport }) {
  const { signers, signedPower, totalPower, header, stores, requests, fields, height } = of;
  const signed = signers.filter(({ hasSigned }) => hasSigned);
  const counts = levelCounts(of);
  const rules = new Map<string, string[]>();
  for (const { path, level, reason = '' } of fields)
    if (level === 'RECOMPUTED') rules.set(reason, [...(rules.get(reason) ?? []), path]);
  const keys = stores.reduce((sum, store) => sum + store.keys, 0);
  return (
    <ol class="proof-links">
      <Link number={1} title="Trusted validators" reason={trustWords(of)}>
        <Facts
          of={[
            [
              'Trusted since',
              <>
                block {count(of.since.height)}, <Time of={of.since.time} isExact />
              </>,
            ],
            ['Its hash', <Hash of={of.since.hash} name="the hash of the first trusted block" />],
            ['Validators', `${count(signers.length)}, with a voting power of ${count(totalPower)}`],
            ['Hash of the set', <Hash of={of.validatorsHash} name="the hash of the validators" />],
          ]}
        />
      </Link>
      <Link
        number={2}
        title="Signatures"
        reason={`More than two thirds of the voting power must have signed block ${count(header.height)}. The signatures were verified in this browser.`}
      >
        <Facts
          of={[
            [
              'Signed by',
              `${countOf(signed.length, 'validator')} with ${percent(percentOf(signedPower, totalPower))} of the voting power`,
            ],
          ]}
        />
        <details>
          <summary>{countOf(signed.length, 'signature')} that the proof has</summary>
          <Table
            name="Validators whose signatures were verified"
            rows={signed}
            keyOf={({ address }) => address}
            columns={[
              { name: 'Validator', class: 'fill', cell: ({ address }) => <code class="break">{address}</code> },
              { name: 'Voting power', class: 'num', cell: ({ power }) => count(power) },
              { name: 'Share', class: 'num', cell: ({ power }) => percent(percentOf(power, totalPower)) },
            ]}
          />
        </details>
      </Link>
      <Link
        number={3}
        title={`Header of block ${count(header.height)}`}
        reason="The validators signed its hash. The hash was computed from all of its fields."
      >
        <Facts
          of={[
            [
              'Block',
              <>
                <a href={urlAt(`/blocks/${header.height}`, undefined)}>{count(header.height)}</a> of {of.chainId},{' '}
                <Time of={header.time} isExact />
              </>,
            ],
            ['Hash', <Hash of={header.hash} name="the hash of the header" />],
          ]}
        />
      </Link>
      <Link
        number={4}
        title="App hash"
        reason={`A field of this header. It is the root of the state after block ${count(height)}, which the page shows.`}
      >
        <Facts
          of={[
            ['App hash', <Hash of={header.appHash} name="the app hash" />],
            [
              'State of',
              <>
                block {count(height)}, <Time of={of.time} isExact />
              </>,
            ],
          ]}
        />
      </Link>
      <Link
        number={5}
        title="Roots of the stores"
        reason="Each module keeps its state in a store of its own. The root of each store leads to the app hash."
      >
        <Table
          name="Stores of the proof"
          rows={stores}
          keyOf={({ name }) => name}
          columns={[
            { name: 'Store', cell: ({ name }) => <code>{name}</code> },
            { name: 'Root', class: 'fill', cell: ({ root }) => <code class="break">{root}</code> },
            { name: 'Keys read', class: 'num', cell: (store) => count(store.keys) },
            { name: 'Proof', class: 'num wide', cell: (store) => bytes(store.bytes) },
          ]}
        />
      </Link>
      <Link
        number={6}
        title="Keys and values"
        reason="The proof has a part of the tree of each store. Its root was computed from its leaves. Between two leaves of a list nothing is hidden, so no entry was left out."
      >
        <Facts
          of={[
            ['Keys', `${count(keys)} read, those that do not exist included`],
            [
              'Query methods',
              [...new Set(requests)].map((path) => (
                <code key={path} class="block break">
                  {path}
                </code>
              )),
            ],
          ]}
        />
      </Link>
      <Link
        number={7}
        title="Rules"
        reason="What the chain does not store was computed in this browser from the proven values."
      >
        {rules.size === 0 ? (
          <p>No field of this answer needs a rule.</p>
        ) : (
          <Facts
            of={[...rules].map(([name, paths]) => [
              name || 'other',
              paths.map((path) => (
                <code key={path} class="block break">
                  {path}
                </code>
              )),
            ])}
          />
        )}
      </Link>
      <Link
        number={8}
        title="Fields"
        reason="Each field of the answer was compared with the value that follows from the proof."
      >
        <Levels of={fields} counts={counts} />
      </Link>
    </ol>
  );
}

import type { ComponentChildren } from 'preact';
import { Copy } from '../components/Copy.tsx';
import { Facts } from '../components/page/Facts.tsx';
import { Table } from '../components/Table.tsx';
import { Time } from '../components/Time.tsx';
import { bytes, count, countOf, percent } from '../format/numbers.ts';
import { percentOf } from '../format/tally.ts';
import { texts } from '../language/language.ts';
import { proofsTexts } from '../language/proofs/texts.ts';
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
  if (trust === 'FIRST_USE') return proofsTexts.value.links.first(count(header.height));
  return proofsTexts.value.links.since(count(since.height));
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
      <Link number={1} title={proofsTexts.value.links.trusted} reason={trustWords(of)}>
        <Facts
          of={[
            [
              proofsTexts.value.links.trustedSince,
              <>
                {texts.value.words.inBlock} {count(of.since.height)}, <Time of={of.since.time} isExact />
              </>,
            ],
            [proofsTexts.value.links.itsHash, <Hash of={of.since.hash} name={proofsTexts.value.links.firstHash} />],
            [texts.value.shell.validators, proofsTexts.value.links.withPower(count(signers.length), count(totalPower))],
            [proofsTexts.value.links.setHash, <Hash of={of.validatorsHash} name={proofsTexts.value.links.theSetHash} />],
          ]}
        />
      </Link>
      <Link
        number={2}
        title={proofsTexts.value.links.signatures}
        reason={proofsTexts.value.links.twoThirds(count(header.height))}
      >
        <Facts
          of={[
            [
              proofsTexts.value.links.signedBy,
              proofsTexts.value.links.signedWith(
                countOf(signed.length, texts.value.counts.validators),
                percent(percentOf(signedPower, totalPower)),
              ),
            ],
          ]}
        />
        <details>
          <summary>
            {countOf(signed.length, texts.value.counts.signatures)} {proofsTexts.value.links.ofProof}
          </summary>
          <Table
            name={proofsTexts.value.links.verifiedSignatures}
            rows={signed}
            keyOf={({ address }) => address}
            columns={[
              { name: texts.value.words.validator, class: 'fill', cell: ({ address }) => <code class="break">{address}</code> },
              { name: proofsTexts.value.links.votingPower, class: 'num', cell: ({ power }) => count(power) },
              { name: texts.value.words.share, class: 'num', cell: ({ power }) => percent(percentOf(power, totalPower)) },
            ]}
          />
        </details>
      </Link>
      <Link number={3} title={proofsTexts.value.links.header(count(header.height))} reason={proofsTexts.value.links.headerWhy}>
        <Facts
          of={[
            [
              texts.value.words.block,
              <>
                <a href={urlAt(`/blocks/${header.height}`, undefined)}>{count(header.height)}</a> {texts.value.words.of}{' '}
                {of.chainId}, <Time of={header.time} isExact />
              </>,
            ],
            [texts.value.words.hash, <Hash of={header.hash} name={proofsTexts.value.links.headerHash} />],
          ]}
        />
      </Link>
      <Link number={4} title={proofsTexts.value.links.appHash} reason={proofsTexts.value.links.appHashWhy(count(height))}>
        <Facts
          of={[
            [proofsTexts.value.links.appHash, <Hash of={header.appHash} name={proofsTexts.value.links.theAppHash} />],
            [
              proofsTexts.value.links.stateOf,
              <>
                {texts.value.words.inBlock} {count(height)}, <Time of={of.time} isExact />
              </>,
            ],
          ]}
        />
      </Link>
      <Link number={5} title={proofsTexts.value.links.stores} reason={proofsTexts.value.links.storesWhy}>
        <Table
          name={proofsTexts.value.links.storesOfProof}
          rows={stores}
          keyOf={({ name }) => name}
          columns={[
            { name: proofsTexts.value.links.store, cell: ({ name }) => <code>{name}</code> },
            { name: proofsTexts.value.links.root, class: 'fill', cell: ({ root }) => <code class="break">{root}</code> },
            { name: proofsTexts.value.links.keysRead, class: 'num', cell: (store) => count(store.keys) },
            { name: proofsTexts.value.links.proof, class: 'num wide', cell: (store) => bytes(store.bytes) },
          ]}
        />
      </Link>
      <Link number={6} title={proofsTexts.value.links.keysAndValues} reason={proofsTexts.value.links.keysWhy}>
        <Facts
          of={[
            [proofsTexts.value.links.keys, proofsTexts.value.links.keysCounted(count(keys))],
            [
              proofsTexts.value.links.methods,
              [...new Set(requests)].map((path) => (
                <code key={path} class="block break">
                  {path}
                </code>
              )),
            ],
          ]}
        />
      </Link>
      <Link number={7} title={proofsTexts.value.links.rules} reason={proofsTexts.value.links.rulesWhy}>
        {rules.size === 0 ? (
          <p>{proofsTexts.value.links.noRule}</p>
        ) : (
          <Facts
            of={[...rules].map(([name, paths]) => [
              name || proofsTexts.value.links.other,
              paths.map((path) => (
                <code key={path} class="block break">
                  {path}
                </code>
              )),
            ])}
          />
        )}
      </Link>
      <Link number={8} title={proofsTexts.value.links.fields} reason={proofsTexts.value.links.fieldsWhy}>
        <Levels of={fields} counts={counts} />
      </Link>
    </ol>
  );
}

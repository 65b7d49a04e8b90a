import { Address, Height } from '../../components/Address.tsx';
import { Amounts } from '../../components/Amount.tsx';
import { Tag } from '../../components/Badge.tsx';
import { Copy } from '../../components/Copy.tsx';
import { Events } from '../../components/Events.tsx';
import { Messages } from '../../components/Messages.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { Facts } from '../../components/page/Facts.tsx';
import { Notice } from '../../components/page/Notice.tsx';
import { Page } from '../../components/page/Page.tsx';
import { PageHead } from '../../components/page/PageHead.tsx';
import { Time } from '../../components/Time.tsx';
import { TransferTable } from '../../components/TransferTable.tsx';
import { Words } from '../../components/Words.tsx';
import { useFixedPage } from '../../data/useFixedPage.ts';
import { shorten } from '../../format/addresses.ts';
import { failureWords } from '../../format/failures.ts';
import { count, countOf } from '../../format/numbers.ts';
import { TransactionDocument } from '../../gen/graphql.ts';
import { chainTexts } from '../../language/chain/texts.ts';
import { texts } from '../../language/language.ts';
import { type PathParts, urlOf } from '../../routing/router.ts';

interface ContractsProps {
  readonly of: readonly { readonly inWords: string | null; readonly contract: { readonly address: string } }[];
}

/** What happened to contracts, with links to them. Nothing if there are no events of contracts. */
function Contracts({ of }: ContractsProps) {
  const addresses = [...new Set(of.map(({ contract }) => contract.address))];
  return addresses.map((address) => (
    <Card
      key={address}
      title={texts.value.words.contract}
      aside={
        <a class="mono" href={urlOf(`/contracts/${address}`)} title={address}>
          {shorten(address)}
        </a>
      }
    >
      <ul class="plain-list">
        {of
          .filter(({ contract }) => contract.address === address)
          .map(({ inWords }, index) =>
            inWords === null ? null : (
              <li key={index}>
                <Words type="" inWords={inWords.replaceAll(`the contract ${address}`, 'It')} />
              </li>
            ),
          )}
      </ul>
    </Card>
  ));
}

/** A transaction: what it did, what it cost, and why it failed if it did. */
export function Transaction({ hash = '' }: PathParts) {
  const state = useFixedPage(TransactionDocument, { hash });
  return (
    <Page title={texts.value.words.transaction} state={state}>
      {({ transaction: tx }) => {
        if (tx === null)
          return <Notice title={chainTexts.value.transaction.unknown}>{chainTexts.value.transaction.unknownWhy}</Notice>;
        const { fee } = tx;
        const moved = tx.transfers?.filter(({ kind }) => kind !== 'FEE') ?? [];
        const fees = tx.transfers?.filter(({ kind }) => kind === 'FEE') ?? [];
        return (
          <>
            <PageHead
              kind={texts.value.words.transaction}
              title={
                <span class="mono break">
                  {tx.hash} <Copy text={tx.hash} name={texts.value.parts.theHash} />
                </span>
              }
            >
              <Tag tone={tx.code === 0 ? 'good' : 'bad'}>
                {tx.code === 0 ? chainTexts.value.transaction.succeeded : texts.value.words.failed}
              </Tag>
              <span>
                {texts.value.words.inBlock} <Height of={tx.height} />
                {chainTexts.value.transaction.inBlock} {tx.index + 1}
              </span>
              {tx.time === null ? null : <Time of={tx.time} />}
            </PageHead>
            {tx.code === 0 ? null : (
              <p class="failure-box">
                <strong>{chainTexts.value.transaction.why}</strong> {failureWords(tx)}{' '}
                <span class="muted">
                  ({tx.codespace} {tx.code})
                </span>
              </p>
            )}
            <Card title={countOf(tx.messages?.length ?? 0, texts.value.counts.messages)}>
              <Messages of={tx.messages ?? []} />
            </Card>
            <div class="grid two">
              <Card title={texts.value.words.transaction}>
                <Facts
                  of={[
                    [
                      chainTexts.value.transaction.signers,
                      tx.signers?.map(({ address }) => <Address key={address} of={address} />),
                    ],
                    [chainTexts.value.transaction.fee, fee && <Amounts of={fee.amount} />],
                    [chainTexts.value.transaction.payer, fee && <Address of={fee.payer.address} />],
                    [chainTexts.value.transaction.granter, fee?.granter && <Address of={fee.granter.address} />],
                    [chainTexts.value.transaction.gas, `${count(tx.gasUsed)} ${texts.value.words.of} ${count(tx.gasWanted)}`],
                    [chainTexts.value.transaction.memo, tx.memo],
                    [chainTexts.value.transaction.validTo, tx.timeoutHeight && count(tx.timeoutHeight)],
                  ]}
                />
              </Card>
              <Card title={texts.value.words.transfers}>
                {moved.length === 0 ? (
                  <Empty>
                    {tx.transfers === null
                      ? chainTexts.value.transaction.transfersUnknown
                      : chainTexts.value.transaction.onlyFee}
                  </Empty>
                ) : (
                  <TransferTable of={moved} name={texts.value.words.transfers} isPlaced={false} />
                )}
                {fees.length === 0 ? null : (
                  <>
                    <h3>{texts.value.words.fees}</h3>
                    <TransferTable of={fees} name={texts.value.words.fees} isPlaced={false} />
                  </>
                )}
              </Card>
            </div>
            <Contracts of={tx.contractEvents ?? []} />
            <Card title={countOf(tx.events.length, texts.value.counts.events)}>
              <Events of={tx.events} />
            </Card>
          </>
        );
      }}
    </Page>
  );
}

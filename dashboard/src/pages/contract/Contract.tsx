import { Address, Height } from '../../components/Address.tsx';
import { Amounts } from '../../components/Amount.tsx';
import { enumWords, Tag } from '../../components/Badge.tsx';
import { Copy } from '../../components/Copy.tsx';
import { Json } from '../../components/Json.tsx';
import { SaveList } from '../../components/lists/SaveButtons.tsx';
import { Card, Empty, Unread } from '../../components/page/Card.tsx';
import { Facts } from '../../components/page/Facts.tsx';
import { Notice } from '../../components/page/Notice.tsx';
import { Page } from '../../components/page/Page.tsx';
import { PageHead } from '../../components/page/PageHead.tsx';
import { Partial } from '../../components/page/Partial.tsx';
import { Skeleton } from '../../components/page/Skeleton.tsx';
import { Table } from '../../components/Table.tsx';
import { TransactionTable } from '../../components/TransactionTable.tsx';
import { usePage } from '../../data/usePage.ts';
import { useRead } from '../../data/useRead.ts';
import { count, countOf } from '../../format/numbers.ts';
import { ContractCallsDocument, ContractDocument, ContractLiveDocument, type ContractQuery } from '../../gen/graphql.ts';
import { chainTexts } from '../../language/chain/texts.ts';
import { texts } from '../../language/language.ts';
import { type PathParts, parameters, urlOf } from '../../routing/router.ts';
import { Ask } from './Ask.tsx';
import { ContractState } from './ContractState.tsx';

type ContractData = NonNullable<ContractQuery['contract']>;

/** The name and version that a contract states. undefined if it states none in the usual form. */
function programOf(info: unknown): string | undefined {
  if (typeof info !== 'object' || info === null || !('contract' in info) || !('version' in info)) return undefined;
  return `${info.contract} ${info.version}`;
}

/** A place in the chain. Contracts of the genesis have no block. */
function Block({ of }: { readonly of: { readonly height: string } | null }) {
  if (of === null) return <span class="muted">{texts.value.format.notKnown}</span>;
  return of.height === '0' ? (
    <span>{chainTexts.value.contract.genesis}</span>
  ) : (
    <span>
      {texts.value.words.inBlock} <Height of={of.height} />
    </span>
  );
}

function Details({ of }: { readonly of: ContractData }) {
  const balances = of.account.balances?.nodes;
  return (
    <Card title={chainTexts.value.contract.details}>
      <Facts
        of={[
          [
            chainTexts.value.contract.administrator,
            of.admin === null ? chainTexts.value.contract.noAdministrator : <Address of={of.admin.address} />,
          ],
          [chainTexts.value.contract.creator, <Address of={of.creator.address} />],
          [chainTexts.value.contract.created, <Block of={of.created} />],
          [chainTexts.value.contract.ibcPort, of.ibcPort && <code class="break">{of.ibcPort}</code>],
          [
            chainTexts.value.contract.holds,
            balances === undefined ? null : balances.length === 0 ? (
              chainTexts.value.contract.noCoins
            ) : (
              <Amounts of={balances} />
            ),
          ],
          [
            texts.value.words.account,
            <span class="mono break">
              <a href={urlOf(`/accounts/${of.address}`)}>{of.address}</a>
            </span>,
          ],
        ]}
      />
    </Card>
  );
}

/** Who can create contracts from a code, in words. */
/** Who may create contracts of a code, where no accounts are named. */
const accessTypes: readonly string[] = ['ACCESS_TYPE_NOBODY', 'ACCESS_TYPE_EVERYBODY'];

function CodeCard({
  id,
  of,
  program,
}: {
  readonly id: string;
  readonly of: ContractData['code'];
  readonly program: string | undefined;
}) {
  return (
    <Card title={chainTexts.value.contract.code(id)}>
      {of === null ? <Unread /> : null}
      <Facts
        of={[
          [chainTexts.value.contract.program, program && <code class="break">{program}</code>],
          [chainTexts.value.contract.storedBy, of && <Address of={of.creator.address} />],
          [
            chainTexts.value.contract.creators,
            of &&
              (accessTypes.includes(of.access)
                ? enumWords(of.access)
                : of.permitted.map(({ address }) => <Address key={address} of={address} />)),
          ],
          ['SHA-256', of && <code class="break">{of.checksum}</code>],
        ]}
      />
    </Card>
  );
}

/** What gave a contract its code, in words. */
const operationWords = (): Readonly<Record<string, string>> => ({
  CONTRACT_CODE_HISTORY_OPERATION_TYPE_INIT: chainTexts.value.contract.created,
  CONTRACT_CODE_HISTORY_OPERATION_TYPE_MIGRATE: chainTexts.value.contract.migrated,
  CONTRACT_CODE_HISTORY_OPERATION_TYPE_GENESIS: chainTexts.value.contract.inGenesis,
});

function History({ of }: { readonly of: ContractData['history'] }) {
  const rows = (of?.nodes ?? []).map((entry, index) => ({ ...entry, index }));
  return (
    <Card title={chainTexts.value.contract.history} aside={of?.totalCount && <span class="muted num">{of.totalCount}</span>}>
      {of === null ? <Unread /> : null}
      {rows.length === 0 ? null : (
        <Table
          name={chainTexts.value.contract.history}
          rows={rows}
          keyOf={({ index }) => String(index)}
          columns={[
            { name: chainTexts.value.contract.what, cell: ({ operation }) => operationWords()[operation] ?? operation },
            { name: chainTexts.value.contract.codeColumn, class: 'num', cell: ({ codeId }) => codeId },
            { name: chainTexts.value.contract.where, cell: ({ updated }) => <Block of={updated} /> },
            {
              name: texts.value.words.message,
              class: 'fill',
              cell: ({ message, index }) =>
                message === null ? null : <Json of={message} name={texts.value.parts.messageNumber(String(index + 1))} />,
            },
          ]}
        />
      )}
      {of !== null && Number(of.totalCount) > rows.length ? (
        <Empty>{chainTexts.value.contract.firstShown(count(rows.length))}</Empty>
      ) : null}
    </Card>
  );
}

/** The newest transactions that called a contract. */
function Calls({ address, height }: { readonly address: string; readonly height: bigint | undefined }) {
  const { data, partial } = useRead(ContractCallsDocument, { address }, height);
  const rows = data?.transactions?.nodes ?? [];
  return (
    <Card
      title={chainTexts.value.contract.calls}
      aside={rows.length === 0 ? null : <SaveList name={chainTexts.value.contract.calls} list="contractCalls" of={address} />}
    >
      {data === undefined ? <Skeleton lines={5} /> : null}
      {data !== undefined && rows.length === 0 ? <Empty>{texts.value.words.noneInBlocks}</Empty> : null}
      {rows.length > 0 ? <TransactionTable of={rows} name={chainTexts.value.contract.calls} /> : null}
      <Partial errors={partial} />
    </Card>
  );
}

/** A contract: what it runs, who controls it, what it stores, what it answers, and who calls it. */
export function Contract({ address = '' }: PathParts) {
  const state = usePage(
    { past: ContractDocument, live: ContractLiveDocument },
    { address, after: parameters.value.get('after') },
  );
  return (
    <Page title={texts.value.words.contract} state={state} subject="contract">
      {({ contract, head }) =>
        contract === null ? (
          <Notice title={chainTexts.value.contract.unknown}>
            <p>
              <a href={urlOf(`/accounts/${address}`)}>{chainTexts.value.contract.theAccount}</a>
            </p>
          </Notice>
        ) : (
          <>
            <PageHead kind={texts.value.words.contract} title={<span class="break">{contract.label}</span>}>
              <span class="mono break">
                {contract.address} <Copy text={contract.address} name={texts.value.parts.theAddress} />
              </span>
              <Tag>{chainTexts.value.contract.code(contract.codeId)}</Tag>
              {contract.history && contract.history.totalCount !== '1' ? (
                <span>{countOf(Number(contract.history.totalCount) - 1, texts.value.counts.migrations)}</span>
              ) : null}
            </PageHead>
            <div class="grid two">
              <Details of={contract} />
              <CodeCard id={contract.codeId} of={contract.code} program={programOf(contract.info)} />
            </div>
            {head === null ? null : <Ask key={address} address={address} height={BigInt(head.height)} />}
            <ContractState of={contract.state} />
            <History of={contract.history} />
            <Calls address={address} height={state.changed} />
          </>
        )
      }
    </Page>
  );
}

import { Address, Height } from '../../components/Address.tsx';
import { Amounts } from '../../components/Amount.tsx';
import { Tag } from '../../components/Badge.tsx';
import { Copy } from '../../components/Copy.tsx';
import { Json } from '../../components/Json.tsx';
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
import { countOf } from '../../format/numbers.ts';
import { ContractCallsDocument, ContractDocument, ContractLiveDocument, type ContractQuery } from '../../gen/graphql.ts';
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
  if (of === null) return <span class="muted">not known</span>;
  return of.height === '0' ? (
    <span>genesis</span>
  ) : (
    <span>
      block <Height of={of.height} />
    </span>
  );
}

function Details({ of }: { readonly of: ContractData }) {
  const balances = of.account.balances?.nodes;
  return (
    <Card title="Details">
      <Facts
        of={[
          ['Administrator', of.admin === null ? 'none: nobody can migrate it' : <Address of={of.admin.address} />],
          ['Creator', <Address of={of.creator.address} />],
          ['Created', <Block of={of.created} />],
          ['Port of IBC', of.ibcPort && <code class="break">{of.ibcPort}</code>],
          ['Holds', balances === undefined ? null : balances.length === 0 ? 'no coins' : <Amounts of={balances} />],
          [
            'Account',
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
const accessWords: Readonly<Record<string, string>> = {
  ACCESS_TYPE_NOBODY: 'nobody',
  ACCESS_TYPE_EVERYBODY: 'everybody',
};

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
    <Card title={`Code ${id}`}>
      {of === null ? <Unread /> : null}
      <Facts
        of={[
          ['Program', program && <code class="break">{program}</code>],
          ['Stored by', of && <Address of={of.creator.address} />],
          [
            'Contracts can be created by',
            of && (accessWords[of.access] ?? of.permitted.map(({ address }) => <Address key={address} of={address} />)),
          ],
          ['SHA-256', of && <code class="break">{of.checksum}</code>],
        ]}
      />
    </Card>
  );
}

/** What gave a contract its code, in words. */
const operationWords: Readonly<Record<string, string>> = {
  CONTRACT_CODE_HISTORY_OPERATION_TYPE_INIT: 'Created',
  CONTRACT_CODE_HISTORY_OPERATION_TYPE_MIGRATE: 'Migrated',
  CONTRACT_CODE_HISTORY_OPERATION_TYPE_GENESIS: 'In the genesis',
};

function History({ of }: { readonly of: ContractData['history'] }) {
  const rows = (of?.nodes ?? []).map((entry, index) => ({ ...entry, index }));
  return (
    <Card title="History" aside={of?.totalCount && <span class="muted num">{of.totalCount}</span>}>
      {of === null ? <Unread /> : null}
      {rows.length === 0 ? null : (
        <Table
          name="History"
          rows={rows}
          keyOf={({ index }) => String(index)}
          columns={[
            { name: 'What', cell: ({ operation }) => operationWords[operation] ?? operation },
            { name: 'Code', class: 'num', cell: ({ codeId }) => codeId },
            { name: 'Where', cell: ({ updated }) => <Block of={updated} /> },
            {
              name: 'Message',
              class: 'fill',
              cell: ({ message, index }) => (message === null ? null : <Json of={message} name={`message ${index + 1}`} />),
            },
          ]}
        />
      )}
      {of !== null && Number(of.totalCount) > rows.length ? <Empty>{`These are the first ${rows.length}.`}</Empty> : null}
    </Card>
  );
}

/** The newest transactions that called a contract. */
function Calls({ address, height }: { readonly address: string; readonly height: bigint | undefined }) {
  const { data, partial } = useRead(ContractCallsDocument, { address }, height);
  const rows = data?.transactions?.nodes ?? [];
  return (
    <Card title="Newest calls">
      {data === undefined ? <Skeleton lines={5} /> : null}
      {data !== undefined && rows.length === 0 ? <Empty>None in the blocks that nodes still have.</Empty> : null}
      {rows.length > 0 ? <TransactionTable of={rows} name="Newest calls" /> : null}
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
    <Page title="Contract" state={state} subject="contract">
      {({ contract, head }) =>
        contract === null ? (
          <Notice title="There is no contract at this address">
            <p>
              Show <a href={urlOf(`/accounts/${address}`)}>the account</a>.
            </p>
          </Notice>
        ) : (
          <>
            <PageHead kind="Contract" title={<span class="break">{contract.label}</span>}>
              <span class="mono break">
                {contract.address} <Copy text={contract.address} name="the address" />
              </span>
              <Tag>{`Code ${contract.codeId}`}</Tag>
              {contract.history && contract.history.totalCount !== '1' ? (
                <span>{countOf(Number(contract.history.totalCount) - 1, 'migration')}</span>
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

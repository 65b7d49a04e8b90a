import { Address } from '../../components/Address.tsx';
import { NoArchive } from '../../components/governance/NoArchive.tsx';
import { SaveList } from '../../components/lists/SaveButtons.tsx';
import { Pager } from '../../components/Pager.tsx';
import { Card } from '../../components/page/Card.tsx';
import { Table } from '../../components/Table.tsx';
import { Time } from '../../components/Time.tsx';
import { count, percent } from '../../format/numbers.ts';
import { governanceTexts } from '../../language/governance/texts.ts';
import { texts } from '../../language/language.ts';

interface Member {
  readonly weight: string;
  readonly weightPercent: string | null;
  readonly metadata: string;
  readonly addedAt: string;
  readonly account: { readonly address: string };
}

interface MembersProps {
  readonly groupId: string;
  readonly of: {
    readonly totalCount: string | null;
    readonly nodes: readonly Member[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  };
  /** The open proposals, with their votes. */
  readonly proposals: readonly {
    readonly votes: { readonly nodes: readonly { readonly voter: { readonly address: string } }[] } | null;
  }[];
  /** How often each member voted on the last closed proposals. null if it is not known. */
  readonly participation: readonly Participation[] | null;
}

interface Participation {
  readonly account: { readonly address: string };
  readonly eligible: number;
  readonly voted: number;
  readonly percent: string | null;
}

/** The members of a group, with their weights, and on how many of the open proposals and of the last closed ones each has voted. */
export function Members({ groupId, of, proposals, participation }: MembersProps) {
  const voted = ({ account }: Member): number =>
    proposals.filter(({ votes }) => votes?.nodes.some(({ voter }) => voter.address === account.address)).length;
  const records = new Map((participation ?? []).map((record) => [record.account.address, record]));
  return (
    <Card
      title={texts.value.words.members}
      aside={
        <>
          <SaveList name={texts.value.words.members} list="members" of={groupId} />
          <span class="muted num">{count(of.totalCount ?? of.nodes.length)}</span>
        </>
      }
    >
      <Table
        name={texts.value.words.members}
        rows={of.nodes}
        keyOf={({ account }) => account.address}
        isWhole={String(of.nodes.length) === of.totalCount}
        columns={[
          {
            name: texts.value.words.member,
            class: 'fill',
            sort: ({ metadata }) => metadata || null,
            cell: ({ account, metadata }) => <Address of={account.address} name={metadata} />,
          },
          { name: texts.value.words.weight, class: 'num', sort: ({ weight }) => weight, cell: ({ weight }) => count(weight) },
          {
            name: texts.value.words.share,
            class: 'num wide',
            cell: ({ weightPercent }) =>
              weightPercent === null ? null : (
                <span class="share">
                  <meter class="wide" min={0} max={100} value={Number(weightPercent)} aria-label={percent(weightPercent)} />
                  {percent(weightPercent)}
                </span>
              ),
          },
          {
            name: governanceTexts.value.group.votedOnOpen,
            class: 'num wide',
            sort: voted,
            cell: (member) => `${voted(member)} ${texts.value.words.of} ${proposals.length}`,
          },
          ...(participation === null
            ? []
            : [
                {
                  name: governanceTexts.value.group.votedOnClosed,
                  class: 'num' as const,
                  sort: ({ account }: Member) => records.get(account.address)?.percent,
                  cell: ({ account }: Member) => <Voted of={records.get(account.address)} />,
                },
              ]),
          {
            name: governanceTexts.value.group.joined,
            class: 'num wide',
            sort: ({ addedAt }) => addedAt,
            cell: ({ addedAt }) => <Time of={addedAt} />,
          },
        ]}
      />
      <Pager info={of.pageInfo} />
      {participation === null ? <NoArchive /> : <p class="note">{governanceTexts.value.group.votedNote}</p>}
    </Card>
  );
}

/** On how many of the closed proposals a member voted. */
function Voted({ of }: { readonly of: Participation | undefined }) {
  if (of === undefined || of.eligible === 0) return <span class="muted">–</span>;
  return (
    <span class="share">
      {of.percent === null ? null : (
        <meter
          class="wide"
          min={0}
          max={100}
          value={Number(of.percent)}
          aria-label={governanceTexts.value.group.votedOn(percent(of.percent))}
        />
      )}
      {of.voted} {texts.value.words.of} {of.eligible}
    </span>
  );
}

import { Amount } from '../../components/Amount.tsx';
import { Bonding } from '../../components/Bonding.tsx';
import { ListAside } from '../../components/lists/SaveButtons.tsx';
import { Pager } from '../../components/Pager.tsx';
import { Card, Empty, Unread } from '../../components/page/Card.tsx';
import { Table } from '../../components/Table.tsx';
import { ValidatorLink } from '../../components/ValidatorLink.tsx';
import { percent } from '../../format/numbers.ts';
import { percentOf } from '../../format/tally.ts';
import type { ValidatorsQuery } from '../../gen/graphql.ts';
import { chainTexts } from '../../language/chain/texts.ts';
import { texts } from '../../language/language.ts';

/** All validators of the staking module by descending stake, also those that sign no blocks now. */
export function ByStake({ of }: { readonly of: NonNullable<ValidatorsQuery['stakingPool']> | null }) {
  const validators = of?.validators ?? null;
  return (
    <Card
      title={chainTexts.value.validator.byStake}
      aside={<ListAside name={chainTexts.value.validator.byStake} list="validators" shown={validators} />}
    >
      {of === null || validators === null ? <Unread /> : null}
      {validators?.nodes.length === 0 ? <Empty>{chainTexts.value.validator.noValidators}</Empty> : null}
      {of === null || validators === null || validators.nodes.length === 0 ? null : (
        <>
          <Table
            name={chainTexts.value.validator.byStakeTable}
            rows={validators.nodes}
            keyOf={({ address }) => address}
            isWhole={String(validators.nodes.length) === validators.totalCount}
            columns={[
              {
                name: texts.value.words.validator,
                class: 'fill',
                sort: ({ moniker }) => moniker,
                cell: (validator) => (
                  <>
                    <ValidatorLink of={validator} operatorAddress={validator.operatorAddress ?? ''} />
                    <Bonding of={validator} />
                  </>
                ),
              },
              {
                name: texts.value.words.stake,
                class: 'num',
                sort: ({ tokens }) => tokens?.amount,
                cell: ({ tokens }) => (tokens === null ? '–' : <Amount of={tokens} isPlain />),
              },
              {
                name: chainTexts.value.validator.ofBonded,
                class: 'num wide',
                cell: ({ tokens, isBonded }) =>
                  tokens === null || !isBonded ? '–' : percent(percentOf(tokens.amount, of.bonded.amount)),
              },
              {
                name: texts.value.words.commission,
                class: 'num',
                sort: ({ commissionPercent }) => commissionPercent,
                cell: ({ commissionPercent }) => (commissionPercent === null ? '–' : percent(commissionPercent)),
              },
            ]}
          />
          <Pager info={validators.pageInfo} />
        </>
      )}
    </Card>
  );
}

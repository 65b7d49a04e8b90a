import { useState } from 'preact/hooks';
import { Card } from '../../components/page/Card.tsx';
import { type Span, Spans } from '../../components/Spans.tsx';
import { hasModule } from '../../data/modules.ts';
import { newest } from '../../data/shown.ts';
import { stele } from '../../data/stele.ts';
import {
  AccountChangesDocument,
  BlockOfTimeDocument,
  GroupChangesDocument,
  ProposalChangesDocument,
  ValidatorChangesDocument,
} from '../../gen/graphql.ts';
import { governanceTexts } from '../../language/governance/texts.ts';
import { at } from '../../routing/router.ts';
import type { ChangesProps } from './changesProps.ts';
import { accountFacts, groupFacts, proposalFacts, validatorFacts } from './facts.ts';
import { Timeline } from './Timeline.tsx';
import type { Range } from './useHistory.ts';

/** How many blocks of a time are looked at for what depends on the block itself. */
const samples = 100;

async function heightAt(time: string, signal: AbortSignal): Promise<bigint> {
  const { data, errors } = await stele.query(BlockOfTimeDocument, { time }, { signal });
  if (errors?.[0] !== undefined) throw errors[0];
  return BigInt(data.blockAt?.height ?? 1);
}

/** The distance between the blocks of a range that are looked at. */
async function distanceIn({ from, to, signal }: Range): Promise<number> {
  const start = /^\d+$/.test(from) ? BigInt(from) : await heightAt(from, signal);
  const end = to ?? newest.value?.height ?? start;
  return Math.max(1, Math.ceil(Number(end - start) / samples));
}

function TimelineOf({ kind, id, operator, from }: ChangesProps & { readonly from: string }) {
  if (kind === 'proposal') {
    const read = (range: Range) => stele.history(ProposalChangesDocument, { ...range, variables: { id } });
    return <Timeline read={read} factsOf={proposalFacts} from={from} />;
  }
  if (kind === 'group') {
    const read = (range: Range) => stele.history(GroupChangesDocument, { ...range, variables: { id } });
    return <Timeline read={read} factsOf={groupFacts} from={from} />;
  }
  if (kind === 'account') {
    const variables = { address: id, group: hasModule('group') };
    const read = (range: Range) => stele.history(AccountChangesDocument, { ...range, variables });
    return <Timeline read={read} factsOf={accountFacts} from={from} />;
  }
  const variables = { address: id, account: operator ?? '', isOperator: operator !== undefined };
  async function* read(range: Range) {
    yield* stele.history(ValidatorChangesDocument, { ...range, every: await distanceIn(range), variables });
  }
  return (
    <>
      <Timeline read={read} factsOf={validatorFacts} from={from} />
      <p class="note">
        {governanceTexts.value.changes.setOfBlock} {samples} {governanceTexts.value.changes.looked}
      </p>
    </>
  );
}

/**
 * How a proposal, a group, an account or a validator changed: a choice of how far to look back, and then each block that changed it. Nothing is read before the choice,
 * because the server executes the query once for each change.
 */
export function Changes(props: ChangesProps) {
  const [span, setSpan] = useState<Span>();
  return (
    <Card title={governanceTexts.value.changes.title}>
      <Spans chosen={span} onChoose={setSpan} />
      {span === undefined ? null : (
        <TimelineOf key={[span.name, span.from, props.id, at.value].join()} {...props} from={span.from} />
      )}
    </Card>
  );
}

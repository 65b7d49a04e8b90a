import { Height } from '../../components/Address.tsx';
import { Tag } from '../../components/Badge.tsx';
import { Card } from '../../components/page/Card.tsx';
import { Facts } from '../../components/page/Facts.tsx';
import { Time } from '../../components/Time.tsx';
import { useRead } from '../../data/useRead.ts';
import { percent } from '../../format/numbers.ts';
import { percentOf } from '../../format/tally.ts';
import { type StatusQuery, TrustedBlockDocument } from '../../gen/graphql.ts';
import { texts } from '../../language/language.ts';
import { serverTexts } from '../../language/server/texts.ts';

type HeadData = StatusQuery['head'];

/** What the server verifies with the signatures of the validators, and the newest block that it has verified. */
export function VerificationCard({ of: head }: { readonly of: HeadData }) {
  const verified = head?.verified ?? null;
  if (head === null || verified === null)
    return (
      <Card title={serverTexts.value.status.verification} aside={<Tag tone="warn">{serverTexts.value.status.verifyOff}</Tag>}>
        <p>
          {serverTexts.value.status.believes} <code class="nowrap">{'--verify off'}</code>
          {serverTexts.value.status.believesWhy}
        </p>
      </Card>
    );
  const { signedPower, totalPower, trustedFrom, provesReads } = verified;
  return (
    <Card
      title={serverTexts.value.status.verification}
      aside={
        <Tag tone="good">{provesReads ? serverTexts.value.status.blocksAndReads : serverTexts.value.status.blocksOnly}</Tag>
      }
    >
      <Facts
        of={[
          [
            serverTexts.value.status.verifiedHead,
            <>
              {texts.value.words.inBlock} <Height of={head.height} />, <Time of={head.time} />
            </>,
          ],
          [serverTexts.value.status.itsHash, <code class="break">{head.hash}</code>],
          [
            serverTexts.value.status.signedBy,
            <>
              {percent(percentOf(signedPower, totalPower))} {serverTexts.value.status.ofPower}
              <span class="block small muted">{serverTexts.value.status.twoThirds}</span>
            </>,
          ],
          [serverTexts.value.status.trustedFrom, <Trusted height={trustedFrom} at={head.height} />],
          [
            serverTexts.value.status.reads,
            provesReads ? (
              <>
                {serverTexts.value.status.readsProven}
                <code class="nowrap">{'--verify reads'}</code>)
              </>
            ) : (
              <>
                {serverTexts.value.status.readsBelieved}
                <code class="nowrap">{'--verify heads'}</code>)
              </>
            ),
          ],
        ]}
      />
    </Card>
  );
}

/** The block with which the trust began, and its time if a node still has it. */
function Trusted({ height, at }: { readonly height: string; readonly at: string }) {
  // Read once: it is the same at every height.
  const { data } = useRead(TrustedBlockDocument, { height }, BigInt(at) < BigInt(height) ? undefined : BigInt(height));
  const block = data?.block;
  return (
    <>
      {texts.value.words.inBlock} <Height of={height} />
      {block ? (
        <>
          , <Time of={block.time} isExact />
        </>
      ) : null}
      <span class="block small muted">
        {serverTexts.value.status.givenWith} <code class="nowrap">{'--trust'}</code>
        {serverTexts.value.status.givenWhy}
      </span>
    </>
  );
}

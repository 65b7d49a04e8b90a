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

type HeadData = StatusQuery['head'];

/** What the server verifies with the signatures of the validators, and the newest block that it has verified. */
export function VerificationCard({ of: head }: { readonly of: HeadData }) {
  const verified = head?.verified ?? null;
  if (head === null || verified === null)
    return (
      <Card title={texts.value.status.verification} aside={<Tag tone="warn">{texts.value.status.verifyOff}</Tag>}>
        <p>
          {texts.value.status.believes} <code>--verify off</code>
          {texts.value.status.believesWhy}
        </p>
      </Card>
    );
  const { signedPower, totalPower, trustedFrom, provesReads } = verified;
  return (
    <Card
      title={texts.value.status.verification}
      aside={<Tag tone="good">{provesReads ? texts.value.status.blocksAndReads : texts.value.status.blocksOnly}</Tag>}
    >
      <Facts
        of={[
          [
            texts.value.status.verifiedHead,
            <>
              {texts.value.words.inBlock} <Height of={head.height} />, <Time of={head.time} />
            </>,
          ],
          [texts.value.status.itsHash, <code class="break">{head.hash}</code>],
          [
            texts.value.status.signedBy,
            <>
              {percent(percentOf(signedPower, totalPower))} {texts.value.status.ofPower}
              <span class="block small muted">{texts.value.status.twoThirds}</span>
            </>,
          ],
          [texts.value.status.trustedFrom, <Trusted height={trustedFrom} at={head.height} />],
          [
            texts.value.status.reads,
            provesReads ? (
              <>
                {texts.value.status.readsProven}
                <code>--verify reads</code>)
              </>
            ) : (
              <>
                {texts.value.status.readsBelieved}
                <code>--verify heads</code>)
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
        {texts.value.status.givenWith} <code>--trust</code>
        {texts.value.status.givenWhy}
      </span>
    </>
  );
}

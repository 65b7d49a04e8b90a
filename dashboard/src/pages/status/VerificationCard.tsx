import { Height } from '../../components/Address.tsx';
import { Tag } from '../../components/Badge.tsx';
import { Card } from '../../components/page/Card.tsx';
import { Facts } from '../../components/page/Facts.tsx';
import { Time } from '../../components/Time.tsx';
import { useRead } from '../../data/useRead.ts';
import { percent } from '../../format/numbers.ts';
import { percentOf } from '../../format/tally.ts';
import { type StatusQuery, TrustedBlockDocument } from '../../gen/graphql.ts';

type HeadData = StatusQuery['head'];

/** What the server verifies with the signatures of the validators, and the newest block that it has verified. */
export function VerificationCard({ of: head }: { readonly of: HeadData }) {
  const verified = head?.verified ?? null;
  if (head === null || verified === null)
    return (
      <Card title="Verification" aside={<Tag tone="warn">Off</Tag>}>
        <p>
          The server believes its nodes: it runs with <code>--verify off</code>, so it does not check the signatures of the
          validators.
        </p>
      </Card>
    );
  const { signedPower, totalPower, trustedFrom, provesReads } = verified;
  return (
    <Card title="Verification" aside={<Tag tone="good">{provesReads ? 'Blocks and reads' : 'Blocks'}</Tag>}>
      <Facts
        of={[
          [
            'Verified head',
            <>
              block <Height of={head.height} />, <Time of={head.time} />
            </>,
          ],
          ['Its hash', <code class="break">{head.hash}</code>],
          [
            'Signed by',
            <>
              {percent(percentOf(signedPower, totalPower))} of the voting power
              <span class="block small muted">
                More than two thirds are needed. Signatures are checked until they are reached, so more may have signed.
              </span>
            </>,
          ],
          ['Trusted from', <Trusted height={trustedFrom} at={head.height} />],
          [
            'Reads',
            provesReads ? (
              <>
                proven with the verified header, where a proof exists (<code>--verify reads</code>)
              </>
            ) : (
              <>
                believed, as a node answers them (<code>--verify heads</code>)
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
      block <Height of={height} />
      {block ? (
        <>
          , <Time of={block.time} isExact />
        </>
      ) : null}
      <span class="block small muted">
        The server was given this block with <code>--trust</code>, or took it from its nodes at its first start. Each later
        block was signed by validators that the blocks before it name.
      </span>
    </>
  );
}

import { Tag } from '../../components/Badge.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { countOf } from '../../format/numbers.ts';
import { chainTexts } from '../../language/chain/texts.ts';
import { texts } from '../../language/language.ts';

interface SignaturesProps {
  readonly of: {
    readonly round: number;
    readonly signatures: readonly {
      readonly blockIdFlag: string;
      readonly validator: { readonly address: string; readonly moniker: string | null } | null;
    }[];
  } | null;
}

/** Who signed the block before, as this block has it. */
export function Signatures({ of }: SignaturesProps) {
  const all = of?.signatures ?? [];
  const signed = all.filter(({ blockIdFlag }) => blockIdFlag === 'BLOCK_ID_FLAG_COMMIT');
  return (
    <Card
      title={chainTexts.value.block.commit}
      aside={
        of === null ? null : (
          <span class="muted">
            {chainTexts.value.block.round} {of.round}
          </span>
        )
      }
    >
      {all.length === 0 ? (
        <Empty>{chainTexts.value.block.firstHasNone}</Empty>
      ) : (
        <>
          <p>
            {countOf(signed.length, texts.value.counts.validators)} {texts.value.words.of} {all.length}{' '}
            {chainTexts.value.block.signedIt}
          </p>
          <p class="tags">
            {all.map(({ blockIdFlag, validator }, index) => (
              <Tag key={index} tone={blockIdFlag === 'BLOCK_ID_FLAG_COMMIT' ? 'good' : 'bad'}>
                {validator?.moniker ?? validator?.address.slice(0, 8) ?? chainTexts.value.block.absent}
              </Tag>
            ))}
          </p>
        </>
      )}
    </Card>
  );
}

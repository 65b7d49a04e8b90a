import { Tag } from '../../components/Badge.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { countOf } from '../../format/numbers.ts';

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
    <Card title="Commit of the previous block" aside={of === null ? null : <span class="muted">round {of.round}</span>}>
      {all.length === 0 ? (
        <Empty>The first block has none.</Empty>
      ) : (
        <>
          <p>
            {countOf(signed.length, 'validator')} of {all.length} signed it.
          </p>
          <p class="tags">
            {all.map(({ blockIdFlag, validator }, index) => (
              <Tag key={index} tone={blockIdFlag === 'BLOCK_ID_FLAG_COMMIT' ? 'good' : 'bad'}>
                {validator?.moniker ?? validator?.address.slice(0, 8) ?? 'absent'}
              </Tag>
            ))}
          </p>
        </>
      )}
    </Card>
  );
}

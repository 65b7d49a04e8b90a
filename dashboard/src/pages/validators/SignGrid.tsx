import { Table } from '../../components/Table.tsx';
import { ValidatorLink } from '../../components/ValidatorLink.tsx';
import { shorten } from '../../format/addresses.ts';
import { count, percent } from '../../format/numbers.ts';
import { chainTexts } from '../../language/chain/texts.ts';
import { texts } from '../../language/language.ts';

interface ValidatorData {
  readonly address: string;
  readonly moniker: string | null;
  readonly votingPower: string | null;
  readonly votingPowerPercent: string | null;
}

interface GridProps {
  readonly validators: readonly ValidatorData[];
  /** Newest first. The commit in each is that of the block before it. */
  readonly blocks: readonly {
    readonly height: string;
    readonly proposer: { readonly address: string } | null;
    readonly lastCommit: {
      readonly height: string;
      readonly signatures: readonly { readonly blockIdFlag: string; readonly validatorAddress: string | null }[];
    } | null;
  }[];
}

const [cell, rows] = [10, 2];

/** The number of blocks that the grid has place for. */
const places = 100;

/** How a validator took part in a block. */
type Mark = 'signed' | 'proposed' | 'missed';

/** How a validator took part in each block, oldest first. */
function marksOf(address: string, blocks: GridProps['blocks']): readonly { readonly height: string; readonly mark: Mark }[] {
  const proposers = new Map(blocks.map(({ height, proposer }) => [height, proposer?.address]));
  return blocks
    .flatMap(({ lastCommit }) => (lastCommit === null || lastCommit.signatures.length === 0 ? [] : [lastCommit]))
    .map(({ height, signatures }) => {
      const hasSigned = signatures.some(
        (each) => each.validatorAddress === address && each.blockIdFlag === 'BLOCK_ID_FLAG_COMMIT',
      );
      const mark: Mark = !hasSigned ? 'missed' : proposers.get(height) === address ? 'proposed' : 'signed';
      return { height, mark };
    })
    .toReversed();
}

/** The validators, each with its voting power and one cell for each of the last blocks. */
export function SignGrid({ validators, blocks }: GridProps) {
  return (
    <>
      <Table
        name={texts.value.shell.validators}
        rows={validators}
        keyOf={({ address }) => address}
        columns={[
          {
            name: texts.value.words.validator,
            cell: ({ moniker, address }) => (
              <>
                <span class="strong">
                  <ValidatorLink of={{ address, moniker }} />
                </span>
                <span class="block small muted mono nowrap" title={address}>
                  {shorten(address)}
                </span>
              </>
            ),
          },
          {
            name: chainTexts.value.validator.votingPower,
            class: 'num',
            cell: ({ votingPower, votingPowerPercent }) => (
              <>
                {votingPower === null ? '–' : count(votingPower)}
                <span class="block small muted">{votingPowerPercent === null ? '' : percent(votingPowerPercent)}</span>
              </>
            ),
          },
          {
            name: chainTexts.value.validator.signedBlocks,
            class: 'fill',
            cell: ({ address }) => {
              const marks = marksOf(address, blocks);
              const perRow = places / rows;
              const signed = marks.filter(({ mark }) => mark !== 'missed').length;
              return (
                <span class="sign-row">
                  <svg
                    class="sign-grid"
                    width={Math.min(marks.length, perRow) * cell}
                    height={rows * cell}
                    role="img"
                    aria-label={chainTexts.value.validator.signedOf(count(signed), count(marks.length))}
                  >
                    {marks.map(({ height, mark }, index) => (
                      <rect
                        key={height}
                        x={(index % perRow) * cell}
                        y={Math.floor(index / perRow) * cell}
                        width={cell - 2}
                        height={cell - 2}
                        rx={2}
                        data-mark={mark}
                      >
                        <title>{chainTexts.value.validator.mark(count(height), chainTexts.value.marks[mark])}</title>
                      </rect>
                    ))}
                  </svg>
                  <span class="num nowrap">
                    {signed} {texts.value.words.of} {marks.length}
                  </span>
                </span>
              );
            },
          },
        ]}
      />
      <ul class="legend" aria-hidden="true">
        <li data-mark="signed">{chainTexts.value.validator.signed}</li>
        <li data-mark="proposed">{chainTexts.value.validator.proposed}</li>
        <li data-mark="missed">{chainTexts.value.validator.missed}</li>
      </ul>
    </>
  );
}

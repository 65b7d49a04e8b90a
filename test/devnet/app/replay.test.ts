import { bech32 } from '@scure/base';
import { beforeAll, describe, expect, it } from 'vitest';
import type { AbciEvent, Application, BlockResult, TxResult } from '../../../packages/devnet/src/abci/abci.ts';
import { createApplication } from '../../../packages/devnet/src/app/application.ts';
import { type QueryRow, readRecording } from '../../recordings/recordings.ts';
import { endHeight, recordedGenesis } from '../recordedChain.ts';
import { nanoseconds } from './harness.ts';

const lastHeight = BigInt(endHeight);

interface RecordedTx {
  readonly code: number;
  readonly data: string | null;
  readonly log: string;
  readonly gas_wanted: string;
  readonly events: readonly AbciEvent[];
  readonly codespace: string;
}

interface RecordedBlock {
  readonly height: bigint;
  readonly time: string;
  readonly txs: readonly string[];
  readonly results: readonly RecordedTx[];
  readonly events: readonly AbciEvent[];
}

function recordedBlocks(): RecordedBlock[] {
  return readRecording('chain').flatMap((row) => {
    const height = BigInt(row.height);
    if (height > lastHeight) return [];
    const block = row.block.block as unknown as { header: { time: string }; data: { txs: string[] } };
    const results = row.block_results as unknown as {
      txs_results: RecordedTx[] | null;
      finalize_block_events: AbciEvent[];
    };
    return [
      {
        height,
        time: block.header.time,
        txs: block.data.txs,
        results: results.txs_results ?? [],
        events: results.finalize_block_events,
      },
    ];
  });
}

function shown({ code, data, log, gasWanted, events, codespace }: TxResult): RecordedTx {
  const bytes = data === null ? null : Buffer.from(data).toString('base64');
  return { code, data: bytes, log, gas_wanted: String(gasWanted), events, codespace };
}

function recordedShown({ code, data, log, gas_wanted, events, codespace }: RecordedTx): RecordedTx {
  return { code, data, log, gas_wanted, events, codespace };
}

describe('the recorded blocks, executed by the devnet', () => {
  const blocks = recordedBlocks();
  const results = new Map<bigint, BlockResult>();
  let app: Application;

  beforeAll(() => {
    const operator = blocks
      .flatMap((block) => block.events)
      .find((event) => event.type === 'rewards')!
      .attributes.find((attribute) => attribute.key === 'validator')!.value;
    const proposer = bech32.decodeToBytes(operator).bytes;
    app = createApplication({ genesis: recordedGenesis() });
    app.initChain({ chainId: 'testing', time: nanoseconds(blocks[0]!.time) });
    for (const { height, time, txs } of blocks) {
      const bytes = txs.map((tx) => new Uint8Array(Buffer.from(tx, 'base64')));
      results.set(height, app.finalizeBlock({ height, time: nanoseconds(time), txs: bytes, proposer }));
    }
  });

  it('produce the recorded result of every transaction', () => {
    const theirs = blocks.flatMap((block) => block.results.map((result) => [block.height, recordedShown(result)]));
    const ours = [...results].flatMap(([height, result]) => result.txResults.map((tx) => [height, shown(tx)]));
    expect(theirs.length).toBeGreaterThan(60);
    expect(ours).toEqual(theirs);
  });

  it('use the recorded gas, within 25 %', () => {
    const far = blocks.flatMap((block) =>
      block.results.flatMap((theirs, index) => {
        const real = Number((theirs as RecordedTx & { gas_used: string }).gas_used);
        const used = Number(results.get(block.height)!.txResults[index]!.gasUsed);
        return Math.abs(used - real) > real / 4 ? [[block.height, used, real]] : [];
      }),
    );
    expect(far).toEqual([]);
  });

  it('have the recorded block events', () => {
    expect([...results].map(([height, result]) => [height, result.events])).toEqual(
      blocks.map((block) => [block.height, block.events]),
    );
  });

  it('have the recorded pages of lists', () => {
    const rows = readRecording('queries').filter((row) => pages.test(row.name));
    expect(rows.length).toBeGreaterThan(10);
    for (const row of rows) {
      const height = String(lastHeight);
      expect([row.name, ask(app, { ...row, height })]).toEqual([row.name, { ...row.response, height }]);
    }
  });

  it('produce the recorded state byte for byte at every recorded height', () => {
    const served =
      /^\/(cosmos\.(group\.v1|(bank|auth|feegrant)\.v1beta1)|provenance\.(attribute|marker|metadata|name|hold|flatfees)\.v1)\.Query\//;
    const rows = readRecording('queries').filter(
      (row) =>
        served.test(row.path) && BigInt(row.response.height) <= lastHeight && BigInt(row.height) <= lastHeight && !row.prove,
    );
    expect(rows.length).toBeGreaterThan(150);
    const differing = rows.filter((row) => JSON.stringify(ask(app, row)) !== JSON.stringify(row.response));
    expect(differing.map((row) => [row.name, ask(app, row), row.response])).toEqual([]);
  });

  it('produce the recorded state of the other modules at the end', () => {
    const others =
      /^\/(cosmos\.(bank|auth|feegrant)\.v1beta1|provenance\.(attribute|marker|metadata|name|hold|flatfees)\.v1)\.Query\//;
    const late = readRecording('queries').filter((row) => others.test(row.path) && BigInt(row.height) > lastHeight);
    const differing = late.filter((row) => {
      const height = row.response.height === '0' ? '0' : String(lastHeight);
      return JSON.stringify(ask(app, { ...row, height: String(lastHeight) })) !== JSON.stringify({ ...row.response, height });
    });
    expect(late.length).toBeGreaterThan(90);
    expect(differing.map(({ name }) => name).sort()).toEqual(Object.keys(changedSince).sort());
  });
});

/** Recorded at 566, after the last of these blocks. Differences from changes in between or from earlier state are listed. */
const changedSince: Readonly<Record<string, string>> = {
  TotalSupply: 'a marker was added at 244',
  AllMarkers: 'the same',
  DenomMetadata: 'its display units were set at 245',
  DenomsMetadata: 'the same',
  'marker DenomMetadata': 'the same',
  Account: 'she signed those two',
  'Holding nhash': 'what the validator staked is held by a module, before the first block',
};

/** Pages of lists that did not change afterwards. */
const pages = /^(page \d by key|offset 5|reverse limit|limit 0|no pagination|key and offset|foreign key|junk key|votes page)/;

function ask(app: Application, row: QueryRow) {
  const data = new Uint8Array(Buffer.from(row.request, 'hex'));
  const input = { path: row.path, data, height: BigInt(row.height), prove: row.prove };
  const answer = app.query({ ...input, latestHeight: lastHeight, earliestHeight: 1n });
  const text = (bytes: Uint8Array | null): string | null => (bytes === null ? null : Buffer.from(bytes).toString('base64'));
  const { code, log, info, index, key, value, proofOps, height, codespace } = answer;
  return {
    code,
    log,
    info,
    index: String(index),
    key: text(key),
    value: text(value),
    proofOps,
    height: String(height),
    codespace,
  };
}

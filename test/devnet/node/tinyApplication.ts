import type { AbciEvent, Application, CheckState, QueryResult, TxResult } from '../../../packages/devnet/src/abci/abci.ts';
import { sha256 } from '../../../src/chain/wire/merkle.ts';

/**
 * A minimal application for tests of the node. A transaction is `sender:sequence:note`, and is checked by the sender's sequence. Transactions of `bad` fail when they are executed, and do not increment the sequence. A query at `/sequence` with a sender as data returns the sender's sequence at any kept height.
 */
export function createTinyApplication(): Application {
  const versions: Map<string, bigint>[] = [new Map()];
  const newest = () => versions.at(-1)!;
  const result = (part: Partial<TxResult>): TxResult => ({
    code: 0,
    data: null,
    log: '',
    info: '',
    gasWanted: 1_000_000n,
    gasUsed: 42_000n,
    events: [],
    codespace: '',
    ...part,
  });

  function apply(tx: Uint8Array, sequences: Map<string, bigint>): TxResult {
    const [sender, sequence, ...note] = new TextDecoder().decode(tx).split(':');
    if (!sender || !sequence || note.length === 0) {
      return result({
        code: 2,
        codespace: 'sdk',
        log: 'expected 2 wire type, got 7: tx parse error: tx parse error',
        gasWanted: 0n,
      });
    }
    const expected = sequences.get(sender) ?? 0n;
    if (BigInt(sequence) !== expected) {
      const log = `account sequence mismatch, expected ${expected}, got ${sequence}: incorrect account sequence`;
      return result({ code: 32, codespace: 'sdk', log });
    }
    sequences.set(sender, expected + 1n);
    return result({
      data: new TextEncoder().encode(note.join(':')),
      events: [
        event('transfer', { sender, amount: `${sequence}nhash` }),
        event('message', { action: `/test.Msg${note[0]}`, sender, module: 'test' }),
      ],
    });
  }

  function event(type: string, attributes: Record<string, string>): AbciEvent {
    return { type, attributes: Object.entries(attributes).map(([key, value]) => ({ key, value, index: true })) };
  }

  function createCheckState(): CheckState {
    let sequences = new Map(newest());
    return {
      checkTx(tx) {
        const checked = apply(tx, sequences);
        return { ...checked, data: checked.code === 0 ? new Uint8Array() : null };
      },
      reset() {
        sequences = new Map(newest());
      },
    };
  }

  const answer = (part: Partial<QueryResult>): QueryResult => ({
    code: 0,
    log: '',
    info: '',
    index: 0n,
    key: null,
    value: null,
    proofOps: null,
    height: 0n,
    codespace: '',
    ...part,
  });

  return {
    info: () => ({ data: 'tiny', version: 'v1', appVersion: 0n }),
    initChain: () => ({ appHash: sha256() }),
    finalizeBlock({ txs, height }) {
      const sequences = new Map(newest());
      const txResults = txs.map((tx) => {
        const [sender = ''] = new TextDecoder().decode(tx).split(':');
        const before = sequences.get(sender) ?? 0n;
        const executed = apply(tx, sequences);
        if (sender !== 'bad' || executed.code !== 0) return executed;
        sequences.set(sender, before);
        return result({ code: 5, codespace: 'sdk', log: 'failed to execute message', events: executed.events });
      });
      versions.push(sequences);
      return {
        txResults,
        events: [
          event('mint', { amount: '0', mode: 'BeginBlock' }),
          ...(height % 50n === 0n ? [event('jubilee', { number: String(height) })] : []),
        ],
        appHash: sha256(Buffer.from(JSON.stringify([...sequences].map(String)))),
      };
    },
    query({ path, data, height, latestHeight, earliestHeight }) {
      const at = height === 0n ? latestHeight : height;
      if (path !== '/sequence') return answer({ code: 6, codespace: 'sdk', log: 'unknown query path: unknown request' });
      if (at > latestHeight) return answer({ code: 26, codespace: 'sdk', log: 'in the future', height: 0n });
      if (at < earliestHeight) return answer({ code: 38, codespace: 'sdk', log: 'failed to load state: not found' });
      const sequence = versions[Number(at)]?.get(new TextDecoder().decode(data)) ?? 0n;
      return answer({ key: data, value: new TextEncoder().encode(String(sequence)), height: at });
    },
    createCheckState,
    prune: () => {},
  };
}

/** Encodes a transaction of the tiny application. */
export function tinyTx(sender: string, sequence: number, note = 'Note'): Uint8Array {
  return new TextEncoder().encode(`${sender}:${sequence}:${note}`);
}

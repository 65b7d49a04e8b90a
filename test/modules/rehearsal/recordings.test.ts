import { fromBinary } from '@bufbuild/protobuf';
import { SimulateRequest, SimulateResponse } from 'cosmjs-types/cosmos/tx/v1beta1/service';
import { TxBody, TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import { describe, expect, it } from 'vitest';
import type { Event } from '../../../src/chain/base/execution.ts';
import { CannotRehearse } from '../../../src/modules/rehearsal/causes.ts';
import type { Plan } from '../../../src/modules/rehearsal/plan.ts';
import {
  balanceDeltas,
  effectsOf,
  movementsOf,
  readRefusal,
  readSimulation,
  refusalText,
} from '../../../src/modules/rehearsal/result.ts';
import { SimulateResponseSchema } from '../../../src/proto/cosmos/tx/v1beta1/service_pb.js';
import { recording } from '../../recordings/recording.ts';
import { readRecording } from '../../recordings/recordings.ts';

interface Row {
  readonly name: string;
  readonly request: { readonly params: { readonly data: string } };
  readonly response: {
    readonly response?: { readonly code: number; readonly log: string; readonly value: string | null };
    readonly tx_result?: { readonly code: number; readonly gas_used: string; readonly events: readonly Event[] };
  };
}

const rows = recording<readonly Row[]>('rehearsals');
const real = new Map(rows.filter(({ name }) => name.endsWith(': real')).map((row) => [row.name.replace(/: real$/, ''), row]));
const pairs = rows
  .filter(({ name }) => name.endsWith(': rehearsal'))
  .map((row) => [row.name.replace(/: rehearsal$/, ''), row] as const);

/** A plan with the number of messages of a recorded simulation. */
function planOf(data: string): Plan {
  const { txBytes } = SimulateRequest.decode(Buffer.from(data, 'hex'));
  const { messages } = TxBody.decode(TxRaw.decode(txBytes).bodyBytes);
  const submits = messages.at(-1)?.typeUrl === '/cosmos.group.v1.MsgSubmitProposal';
  return { steps: [], accounts: new Map(), runs: messages.length - 1, submits, votes: 0, assumption: '', time: 0n };
}

const plain = (events: readonly Event[]) =>
  events.map(({ type, attributes }) => [type, ...attributes.map(({ key, value }) => `${key}=${value}`)]);

describe('rehearsals of a real node beside the real executions in the next block', () => {
  it.each(pairs.filter(([name]) => real.has(name)))('%s: outcome, balances, transfers and events are equal', (name, row) => {
    const plan = planOf(row.request.params.data);
    const response = Buffer.from(row.response.response?.value ?? '', 'base64');
    const { gasUsed, ...rehearsal } = readSimulation(response, plan, undefined);
    const result = real.get(name)?.response.tx_result;
    const execution = effectsOf(result?.events ?? [], plan.runs);
    expect(rehearsal.failed).toEqual(execution?.failed);
    expect(plain(rehearsal.events)).toEqual(plain(execution?.events ?? []));
    expect(balanceDeltas(rehearsal.events)).toEqual(balanceDeltas(execution?.events ?? []));
    expect(movementsOf(rehearsal.events)).toEqual(movementsOf(execution?.events ?? []));
    // An independent reader of the response finds the same gas, which is lower than that of the execution.
    expect(gasUsed).toBe(SimulateResponse.decode(response).gasInfo?.gasWanted);
    const more = BigInt(result?.gas_used ?? 0) - gasUsed;
    expect([more >= 70_000n, more <= 100_000n]).toEqual([true, true]);
  });

  it('are 11 of 11', () => {
    expect([pairs.length, pairs.filter(([name]) => real.has(name)).length]).toEqual([12, 11]);
  });

  it('a proposal that the chain refuses as a whole', () => {
    const [, row] = pairs.find(([name]) => name.startsWith('create a marker')) ?? [];
    const log = row?.response.response?.log ?? '';
    expect(readRefusal(log, planOf(row?.request.params.data ?? ''))).toEqual({
      index: 0,
      error: 'empty address string is not allowed',
    });
  });
});

describe('what recorded simulations say', () => {
  const simulations = readRecording('simulations').filter(
    ({ name, request }) => /^A[2345] /.test(name) && request.params?.path === '/cosmos.tx.v1beta1.Service/Simulate',
  );

  it('every refusal is one of the proposal or one of the envelope, and its text has no place and no gas', () => {
    const found = simulations.flatMap(({ name, request, response }) => {
      const { code, log } = (response as { response: { code: number; log: string } }).response;
      if (code === 0 || code === 26) return [];
      const plan = planOf(request.params?.data ?? '');
      try {
        const { index, error } = readRefusal(log, plan);
        return [[name, `FAILS ${index} ${error.slice(0, 60)}`]];
      } catch (error) {
        if (!(error instanceof CannotRehearse)) throw error;
        expect(error.why).toBe('REFUSED');
        return [[name, 'REFUSED']];
      }
    });
    const texts = simulations.map(({ response }) => refusalText((response as { response: { log: string } }).response.log));
    expect(texts.filter((text) => /gas used|\.go:|goroutine|rpc error/.test(text))).toEqual([]);
    const ofProposal = found.filter(([, outcome]) => outcome !== 'REFUSED');
    expect(Object.fromEntries(ofProposal)).toEqual({
      'A3 message of another signer': expect.stringMatching(
        /^FAILS null msg does not have group policy authorization; expected/,
      ),
      'A3 message type that does not exist': expect.stringMatching(/^FAILS null unable to resolve type URL \/no.such.Msg/),
      'A3 a registered type that is no message': expect.stringMatching(/^FAILS null no concrete type registered/),
      'A3 registered message that no router serves (cosmos.nft? legacy msgfees)': expect.stringMatching(/^FAILS null unable/),
      'A3 message with an invalid body': 'FAILS null invalid length: tx parse error: tx parse error',
    });
    expect(found.length).toBeGreaterThan(30);
  });

  it('every failure names its message, and success has events', () => {
    const outcome = (name: string): unknown => {
      const row = simulations.find((each) => each.name === name);
      const plan = planOf(row?.request.params?.data ?? '');
      const { value } = (row!.response as { response: { value: string } }).response;
      expect(fromBinary(SimulateResponseSchema, Buffer.from(value, 'base64')).gasInfo).toBeDefined();
      const { failed, events } = readSimulation(Buffer.from(value, 'base64'), plan, undefined);
      return failed === null ? events.length : [failed.index, failed.error.slice(0, 40)];
    };
    expect(outcome('A3 three messages of which the second fails')).toEqual([1, 'spendable balance 99999995nhash is small']);
    expect(outcome('A3 min_execution_period 3000, as it is')).toEqual([null, 'must wait until 2026-11-23 08:22:50.1346']);
    expect(outcome('A3 min_execution_period 3000: policy updated first by its admin')).toBe(4);
    expect(outcome('A4 mep, open: vote with EXEC_TRY, policy update, MsgExec')).toBe(4);
    expect(outcome('A4 open with 1 YES: votes of both others, then MsgExec by a stranger')).toBe(4);
    expect(outcome('A5 30 proposers without keys (TxSigLimit is 7)')).toBe(4);
    expect(outcome('A3 no messages at all')).toBe(0);
    expect(() => outcome('A3 weights do not suffice (1 of 2)')).toThrow('not enough');
  });
});

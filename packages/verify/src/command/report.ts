import { timeText } from '../answer/print.ts';
import { type Checkpoint, type TrustKind, type Verified, verify } from '../answer/verify.ts';
import { ProofError } from '../errors.ts';
import type { LightBlock } from '../lightClient.ts';

/** What the command found out: what it prints, and how it exits. */
export interface Report {
  readonly lines: readonly string[];
  /** 0: everything that has a proof follows from it. 1: something does not. 2: the input is not an answer with its request. */
  readonly exitCode: 0 | 1 | 2;
}

/** Options of the command. */
export interface ReportOptions {
  readonly trust?: Checkpoint | undefined;
  readonly read?: ((height: bigint) => Promise<LightBlock>) | undefined;
}

type Members = Readonly<Record<string, unknown>>;
const membersOf = (value: unknown): Members => (typeof value === 'object' && value !== null ? { ...value } : {});

const sentences: Readonly<Record<TrustKind, string>> = {
  BLOCK: 'a block that was verified before leads to the validators',
  CHECKPOINT: 'the block of --trust leads to the validators',
  VALIDATORS: 'the validators are those that were named',
  FIRST_USE:
    'NONE. The answer names its validators itself, and nothing shows that they are those of the chain. Name a block with --trust.',
};

/** The share of the power that signed, in percent with one decimal, cut. */
function shareText({ signedPower, totalPower }: Verified): string {
  const tenths = (signedPower * 1000n) / totalPower;
  return `${tenths / 10n}.${tenths % 10n} %`;
}

function rowsOf({ fields }: Verified): readonly (readonly [string, string, string])[] {
  return [...fields].map(([path, { level, basis, reason }]) => {
    const sources = new Map<string, number>();
    for (const { method, keys } of basis)
      for (const [store, count] of Object.entries(keys)) {
        const source = `${method.replace(/^\/([\w.]+)\.Query\//, '$1 ')}, store ${store}`;
        sources.set(source, (sources.get(source) ?? 0) + count);
      }
    const parts = [...sources].map(([source, count]) => `${source}: ${count} ${count === 1 ? 'key' : 'keys'}`);
    return [level, path, [...(reason === undefined ? [] : [reason]), ...parts].join('; ')] as const;
  });
}

function table(rows: readonly (readonly [string, string, string])[]): readonly string[] {
  const all = [['LEVEL', 'FIELD', 'RESTS ON'] as const, ...rows];
  const width = (column: 0 | 1) => Math.max(...all.map((row) => row[column].length));
  return all.map(([level, field, basis]) => `${level.padEnd(width(0))}  ${field.padEnd(width(1))}  ${basis}`.trimEnd());
}

/** Verifies the content of a file: an answer as it came, with what was asked under `request`. */
export async function reportOf(content: string, options: ReportOptions): Promise<Report> {
  let answer: Members;
  try {
    answer = membersOf(JSON.parse(content));
  } catch {
    return { lines: ['The file is not JSON.'], exitCode: 2 };
  }
  const { query, variables, operationName } = membersOf(answer.request);
  if (typeof query !== 'string')
    return { lines: ['The file has no request. Add the member "request": { "query": …, "variables": … }.'], exitCode: 2 };
  try {
    const verified = await verify(answer, {
      document: query,
      variables: membersOf(variables),
      operationName: typeof operationName === 'string' ? operationName : undefined,
      ...options,
    });
    const { chainId, height, time, block, trust } = verified;
    const rows = rowsOf(verified);
    const count = (level: string) => `${rows.filter(([one]) => one === level).length} ${level}`;
    return {
      lines: [
        `Chain      ${chainId}, height ${height}, ${timeText(time)}`,
        `Signed by  ${shareText(verified)} of the voting power, at block ${block.header.height}`,
        `Trust      ${sentences[trust]}`,
        '',
        ...table(rows),
        '',
        `${count('PROVEN')}, ${count('RECOMPUTED')}, ${count('ASSERTED')}`,
      ],
      exitCode: 0,
    };
  } catch (error) {
    if (error instanceof ProofError) return { lines: [`REFUSED ${error.code}: ${error.message}`], exitCode: 1 };
    return { lines: [`The verification failed: ${error instanceof Error ? error.message : String(error)}`], exitCode: 2 };
  }
}

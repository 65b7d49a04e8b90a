import type { Random } from '../../packages/devnet/src/app/runtime/random.ts';
import { type OpenStream, type StreamTarget, ways } from './streams.ts';
import { count, example, type Findings, type Truth } from './truth.ts';

/** Subscribes to new blocks, disconnects now and then, and resumes after the last received block. */
function subscribe(options: {
  readonly open: OpenStream;
  readonly resumes: boolean;
  readonly target: StreamTarget;
  readonly random: Random;
  readonly truth: Truth;
  readonly findings: Findings;
}): () => void {
  const { open, resumes, target, random, truth, findings } = options;
  let last: bigint | undefined;
  let timer: NodeJS.Timeout | undefined;
  let drop = (): void => undefined;
  let stopped = false;

  function take(height: bigint, hash: string): void {
    findings.events += 1;
    truth.claim(height, hash);
    if (height > truth.height()) {
      findings.wrong += 1;
      example(findings, `a stream sent height ${height} while the chain was at ${truth.height()}`);
    }
    if (last !== undefined && height > last + 1n) {
      findings.gaps += Number(height - last - 1n);
      example(findings, `a stream sent height ${height} after ${last}`);
    } else if (last !== undefined && height <= last) {
      findings.repeats += 1;
      example(findings, `a stream repeated height ${height} after ${last}`);
    }
    if (last === undefined || height > last) last = height;
  }

  function begin(): void {
    if (!resumes) last = undefined;
    if (last !== undefined) findings.resumes += 1;
    let left = false;
    drop = open(target, last, {
      block: ({ height, hash }) => {
        if (!left) take(height, hash);
      },
      over(code) {
        if (stopped) return;
        if (!left) count(findings.endings, code);
        clearTimeout(timer);
        timer = setTimeout(begin, 100 + random.below(900));
      },
    });
    timer = setTimeout(() => {
      left = true;
      drop();
    }, 2_000 + random.below(25_000));
  }

  begin();
  return () => {
    stopped = true;
    clearTimeout(timer);
    drop();
  };
}

/** Starts subscribers with each protocol in its share. The returned function stops all. */
export function startSubscribers(
  total: number,
  options: { readonly target: StreamTarget; readonly random: Random; readonly truth: Truth; readonly findings: Findings },
): () => void {
  const places = ways.flatMap(({ open, resumes, share }) => Array.from({ length: share }, () => ({ open, resumes })));
  const stops = Array.from({ length: total }, (_, index) => {
    const place = places[index % places.length];
    return place === undefined ? () => undefined : subscribe({ ...place, ...options });
  });
  return () => {
    for (const stop of stops) stop();
  };
}

import { createPostgresStore } from '../../../src/archive/postgres/store.ts';
import { startRecording } from '../../../src/archive/recording/recording.ts';
import { createSqliteStore } from '../../../src/archive/sqlite/store.ts';
import { createSimulatedSource } from './simulatedSource.ts';
import { simulate } from './simulation.ts';

// Records a simulated chain in mode FULL until it is killed. Arguments: the file or the URL of the archive, the seed and the length of the chain. The newest block
// rises by one every few milliseconds, from where the archive ends, and older blocks are filled in at the same time.

const [place = '', seed = '', length = ''] = process.argv.slice(2);
const source = createSimulatedSource(simulate(Number(seed), Number(length)), 'A', true);
const store = place.startsWith('postgres:')
  ? createPostgresStore({ url: place, chainId: 'test-1' })
  : createSqliteStore({ file: place, chainId: 'test-1' });

let newest = BigInt(Math.floor(Number(length) / 2));
source.moveTo(newest);
store.onCoverage(() => {
  const reached = store.coverage().ranges.at(-1)?.to ?? 0n;
  if (reached > newest) newest = reached;
});
startRecording({
  store,
  source,
  from: 2n,
  backoff: 20,
  longestBackoff: 100,
  catchUp: 3n,
  chunk: 7n,
  log: { status: ({ state }) => process.stdout.write(`${state}\n`), backfill: () => undefined, audit: () => undefined },
});
setInterval(() => {
  if (newest < BigInt(length)) newest += 1n;
  source.moveTo(newest);
}, 5);

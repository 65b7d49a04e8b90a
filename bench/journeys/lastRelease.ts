/** The files and functions that each journey entered in the last release, as `npm run bench journeys` printed them. */
export const lastRelease: {
  readonly version: string;
  readonly journeys: Readonly<Record<string, { readonly files: number; readonly functions: number }>>;
} = {
  version: '0.1.0',
  journeys: {
    'a query with a new document at a height that was never read': { files: 143, functions: 623 },
    'the same, every read in memory': { files: 113, functions: 388 },
    'the same bytes again (a kept answer)': { files: 54, functions: 159 },
    'a block, to one newBlock subscriber, archive on': { files: 99, functions: 406 },
    'a block, to one proposalUpdated subscriber': { files: 102, functions: 433 },
    broadcastTxSync: { files: 124, functions: 492 },
    'a block recorded (main thread)': { files: 66, functions: 292 },
  },
};

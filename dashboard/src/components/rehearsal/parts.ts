// What pages load when they first need a rehearsal, in one file.

export { ProposalRehearsal } from './ProposalRehearsal.tsx';
export { Rehearsal } from './Rehearsal.tsx';
export { watchBoard } from './watch.ts';

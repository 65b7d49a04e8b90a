import { archive } from './archive.ts';
import { attacks } from './attacks.ts';
import { auth } from './auth.ts';
import { blocks } from './blocks.ts';
import { board } from './board.ts';
import { dashboard } from './dashboard.ts';
import { execution } from './execution.ts';
import { fanOut } from './fanOut.ts';
import { fleet } from './fleet/fleet.ts';
import { hedge } from './hedge.ts';
import { journeys } from './journeys.ts';
import { loop } from './loop.ts';
import { peers } from './peers.ts';
import { profile } from './profile.ts';
import { proofs } from './proofs.ts';
import { publicFlood } from './publicFlood.ts';
import { rehearsal } from './rehearsal.ts';
import { soak } from './soak.ts';
import { start } from './start.ts';
import { trace } from './trace.ts';
import { webhooks } from './webhooks.ts';
import { wiresBench } from './wires.ts';
import { workers } from './workers.ts';

// `npm run bench` runs these; `npm run bench fanOut` one of them.
const benches = { auth, board, execution, fanOut, start, wires: wiresBench } as const;
/** These take minutes, and run only by name: `npm run bench soak -- --seconds 60`. */
const byName = {
  archive,
  attacks,
  blocks,
  dashboard,
  hedge,
  journeys,
  loop,
  fleet,
  peers,
  profile,
  proofs,
  publicFlood,
  rehearsal,
  soak,
  trace,
  webhooks,
  workers,
} as const;
const [chosen, ...args] = process.argv.slice(2);
for (const [name, run] of Object.entries(benches)) if (chosen === undefined || chosen === name) await run(args);
for (const [name, run] of Object.entries(byName)) if (chosen === name) await run(args);

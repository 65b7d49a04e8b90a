import { attack } from './attack.ts';
import { auth } from './auth.ts';
import { board } from './board.ts';
import { fanOut } from './fanOut.ts';
import { start } from './start.ts';
import { wiresBench } from './wires.ts';

// `npm run bench` runs all; `npm run bench fanOut` one of them.
const benches = { attack, auth, board, fanOut, start, wires: wiresBench } as const;
const [chosen] = process.argv.slice(2);
for (const [name, run] of Object.entries(benches)) if (chosen === undefined || chosen === name) await run();

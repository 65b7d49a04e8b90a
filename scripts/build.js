import { rmSync } from 'node:fs';
import { bundle } from './bundle.js';

// One file for the server and one for what it loads later (the devnet). The playground's 9 MB stay where they are until a browser asks.
rmSync('dist', { recursive: true, force: true });
await bundle({ main: 'src/main.ts', devnet: 'src/devnet/main.ts' }, 'dist');

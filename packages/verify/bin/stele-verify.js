#!/usr/bin/env node
import { existsSync } from 'node:fs';

// The command is a file of the checkout, so `npm ci` links it before anything is built.
const command = new URL('../dist/command/main.js', import.meta.url);
if (existsSync(command)) await import(command.href);
else {
  console.error('stele-verify is not built yet. Build it with: npm run build --workspace @stele/verify');
  process.exitCode = 2;
}

#!/usr/bin/env node
import { runCommand } from './archive/command.ts';

// `npm run archive`: checks and exports the records of an archive.
process.exitCode = await runCommand(process.argv.slice(2), process);

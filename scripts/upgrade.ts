import { runUpgrade } from './upgrade/command.ts';

const { exitCode, output } = await runUpgrade(process.argv.slice(2));
(exitCode === 2 ? process.stderr : process.stdout).write(output);
process.exitCode = exitCode;

import { spawnSync } from 'node:child_process';

/** A program that tests run if it is installed. */
export interface Tool {
  readonly isInstalled: boolean;
  /** Ends the names of the tests that need it. Empty if it is installed. */
  readonly note: string;
}

/** What the notes of programs end with that Debian does not have. */
const notInDebian = ', which Debian does not have)';

function find(name: string, end: string): Tool {
  const isInstalled = spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;
  return { isInstalled, note: isInstalled ? '' : ` (skipped: there is no ${name}${end}` };
}

/** Finds a program of Debian. A build fails if its tests are skipped. */
export const findTool = (name: string): Tool => find(name, ')');

/** Finds a program that Debian does not have. A build may skip its tests, and counts them apart. */
export const findForeignTool = (name: string): Tool => find(name, notInDebian);

/** Whether a test of this name was skipped because Debian does not have its program. */
export const needsForeignTool = (testName: string): boolean => testName.endsWith(notInDebian);

import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import type { Tarball } from './pack.ts';

/** The resolution of TypeScript before 4.7, which knows no `exports`. TypeScript 7 no longer has it. */
const ignoredResolution = 'node10';

/** Checks the packages with publint, and their types with Are The Types Wrong. Throws if either finds anything. */
export async function lintPackages(tarballs: readonly Tarball[], print: (line: string) => void): Promise<void> {
  const faults: string[] = [];
  for (const { name, path } of tarballs) {
    const data = readFileSync(path);
    const tarball = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);
    const { messages, pkg } = await publint({ pack: { tarball } });
    faults.push(...messages.map((message) => `${name}: ${formatMessage(message, pkg, { color: false })}`));
    const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(data)));
    // Programs have no types.
    const problems = analysis.types === false ? [] : analysis.problems;
    const found = problems.filter((each) => !('resolutionKind' in each) || each.resolutionKind !== ignoredResolution);
    faults.push(...found.map((problem) => `${name}: ${JSON.stringify(problem)}`));
    const entries = analysis.types === false ? 'no types' : `types of ${Object.keys(analysis.entrypoints).length} entries`;
    print(`${name}: publint ${messages.length}, ${entries}: ${found.length} faults`);
  }
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

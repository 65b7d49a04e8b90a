import { answers, countFetched } from './answers.ts';
import { archiveReads } from './archiveReads.ts';
import { smallQueries } from './documents.ts';
import { attackList } from './list.ts';
import { serveLoad } from './load.ts';

/** The requests and responses of an attack. */
export interface HostileResult {
  readonly requests: number;
  readonly answers: Readonly<Record<string, number>>;
}

countFetched();
serveLoad<HostileResult>(async ({ url, token, addresses, attack: name, connections }, signal) => {
  const attack = [...attackList, ...archiveReads, smallQueries].find((each) => each.name === name);
  if (attack === undefined) throw new Error(`unknown attack ${name}`);
  const { requests } = await attack.run({ url, token, ...(addresses && { addresses }) }, { connections, signal });
  return { requests, answers: answers() };
});

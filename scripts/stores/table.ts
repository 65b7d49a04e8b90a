import { createClient } from '../../src/chain/client.ts';
import { storesByMethod } from '../../src/chain/roots/gen/storesByMethod.ts';
import { fallback } from '../../src/chain/transports/fallback.ts';
import { http } from '../../src/chain/transports/http.ts';
import type { TableFile } from '../../src/start/storeTable.ts';
import { observe } from './observe.ts';
import { measureRows } from './rows.ts';

/** Measures the table of the chain of a node. `report` is called with each step. Rejects with NODE_… if the chain cannot be read. */
export async function measureTable(
  url: string,
  {
    blocks,
    isMeasured,
    table = storesByMethod,
  }: { blocks: number; isMeasured: boolean; table?: Parameters<typeof measureRows>[1] },
  report: (line: string) => void,
): Promise<TableFile> {
  const client = createClient({ transport: fallback([http(url)]), learnsRoots: false });
  try {
    const observed = await observe(client, blocks, report);
    const { rows, omitted } = measureRows(observed, table, { isMeasured });
    const counts = new Map<string, number>();
    for (const reason of omitted.values()) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    report(
      `${rows.length} rows; by height: ${[...counts].map(([reason, count]) => `${count} ${reason}`).join(', ') || 'none'}`,
    );
    for (const [method, reason] of omitted)
      if (reason === 'CONTRADICTION') report(`an answer changed without its stores: ${method}`);
    const { application, sdkVersion, from, to } = observed;
    return {
      application: application.name,
      version: application.version,
      sdk: sdkVersion,
      from: from.toString(),
      to: to.toString(),
      methods: rows,
    };
  } finally {
    await client.close();
  }
}

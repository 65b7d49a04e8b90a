// Client code against the generated types `application.ts` and `node.ts`, which `npm run generate --workspace examples/client`
// creates.
import createClient from 'openapi-fetch';
import type { paths as ApplicationPaths } from './application.ts';
import type { paths as NodePaths } from './node.ts';

const [
  ,
  ,
  baseUrl = 'http://localhost:4000',
  policy = 'tp1afk9zr2hn2jsac63h4hm60vl9z3e5u69gndzf7c99cqge3vzwjzserjkkf',
  account = 'tp16klf3cny45skpulz4kazm9dx9fd44usmuglaar',
] = process.argv;
const headers = { authorization: `Bearer ${process.env.STELE_TOKEN}` };
const application = createClient<ApplicationPaths>({ baseUrl, headers });
const node = createClient<NodePaths>({ baseUrl, headers });

const listed = await application.GET('/cosmos/group/v1/proposals_by_group_policy/{address}', {
  params: { path: { address: policy }, query: { 'pagination.limit': 2, 'pagination.countTotal': true } },
});
const [first] = listed.data?.proposals ?? [];
const id: number = first?.id ?? 0;
const tally = await application.GET('/cosmos/group/v1/proposals/{proposal_id}/tally', {
  params: { path: { proposal_id: 6 } },
});
const yes: string | undefined = tally.data?.tally?.yesCount;
const same = await application.GET('/rest/cosmos/group/v1/proposal/{proposal_id}', {
  params: { path: { proposal_id: String(id) } },
});
const balances = await application.GET('/v1/balances/{address}', {
  params: { path: { address: account }, query: { 'pagination.pageSize': 1 } },
});
const shown: string | undefined = balances.data?.items[0]?.display?.amount;
const block = await node.GET('/block', { params: { query: { height: 1 } } });
const missing = await application.GET('/cosmos/group/v1/proposal/{proposal_id}', {
  params: { path: { proposal_id: 999_999 } },
});

process.stdout.write(
  JSON.stringify({
    id,
    total: listed.data?.pagination?.total,
    yes,
    sameId: same.data?.proposal?.id,
    shown,
    chain: block.data?.result.block.header.chain_id,
    missing: [missing.response.status, missing.error?.code],
  }),
);

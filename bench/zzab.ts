import autocannon from 'autocannon';
import { fork } from 'node:child_process';
import { boardBody, coldBlocks, distinctly } from './board.ts';
import { post } from './boardRequest.ts';
import { startChild, buildOf } from './child.ts';
// usage: zzab.ts NAME=FILE ...   (FILE '-' for the build of the tree). EXEC=1: executed. HOLD=n: print pids and hold n seconds under load of the first
const rounds = Number(process.env.ROUNDS ?? 21);
const node = await startChild('devnet', [String(coldBlocks)]);
const own = await buildOf('stele');
const bare = await startChild('bare');
async function start(file: string) {
  const child = fork(file, [node.url], { execArgv: ['--expose-gc', ...(process.env.NARGS?.split(' ') ?? [])], env: { ...process.env, NODE_ENV: 'production' } });
  const { url } = await new Promise<any>((r) => child.once('message', r));
  const pend = new Map<number, any>(); let n = 0;
  child.on('message', ({ id, answer }: any) => { pend.get(id)?.(answer); pend.delete(id); });
  return { url, pid: child.pid, measure: () => new Promise<any>((r) => { const id = ++n; pend.set(id, r); child.send({ id, command: 'measure' }); }) };
}
const sides: { name: string; s: any }[] = [];
for (const arg of process.argv.slice(2)) { const [name, f] = arg.split('='); sides.push({ name: name!, s: await start(f === '-' ? own : f!) }); }
const body = await boardBody(sides[0]!.s.url);
const answer = await post(sides[0]!.s.url, body);
await fetch(bare.url, { method: 'PUT', body: answer });
const any = distinctly(body);
const isExec = process.env.EXEC === '1';
async function load(s: any, opt: any, exec: boolean, height?: () => string) {
  const before = (await s.measure()).cpu;
  const r = await autocannon({ url: `${s.url}/graphql`, connections: 10, ...opt, requests: [{ method: 'POST', body, headers: { 'content-type': 'application/json' }, ...((exec || height) && { setupRequest: (q: any) => ({ ...q, body: exec ? any() : body, ...(height && { headers: { ...q.headers, 'x-cosmos-block-height': height() } }) }) }) } ] });
  if (r.errors + r.non2xx > 0) throw new Error(`${r.errors} ${r.non2xx}`);
  return ((await s.measure()).cpu - before) / r.requests.total;
}
for (const { s } of sides) { await load(s, { amount: 20000 }, true); if (process.env.COLD !== '0') { let h = 1; await load(s, { amount: 900 }, false, () => String(++h)); } await load(s, { amount: 40000 }, isExec); }
for (let i = 0; i < 3; i++) await load(bare, { amount: 40000 }, false); if (process.env.MORE) for (const { s } of sides) for (let i = 0; i < 3; i++) await load(s, { amount: 40000 }, false);
if (process.env.PERF) { const { spawn } = await import('node:child_process');
  const bareP = (await import('node:child_process')).execSync("pgrep -f bare.js").toString().trim().split('\n')[0]!;
  for (const [name, s, pid] of [['stele', sides[0]!.s, sides[0]!.s.pid], ['bare', bare, bareP]] as any) {
    const p = spawn('perf', ['record', '-o', `/tmp/mine/perf.${name}`, '-F', '4000', '-g', '-p', String(pid), '--', 'sleep', process.env.PERF!], { stdio: 'ignore' });
    const before = (await s.measure()).cpu; const r = await autocannon({ url: `${s.url}/graphql`, connections: 10, duration: Number(process.env.PERF), requests: [{ method: 'POST', body, headers: { 'content-type': 'application/json' } }] });
    console.log(name, pid, r.requests.total, ((await s.measure()).cpu - before) / r.requests.total); await new Promise((r) => p.once('exit', r)); }
  process.exit(0); }
if (process.env.HOLD) { console.log(sides.map(({ s, name }) => `${name} ${s.pid}`)); await load(sides[0]!.s, { duration: Number(process.env.HOLD) }, isExec); process.exit(0); }
const all = new Map<string, number[]>([...sides.map(({ name }) => [name, []] as any), ['bare', []]]);
const opt = isExec ? { amount: 800 } : { duration: 1 };
for (let i = 0; i < rounds; i++) { for (const { name, s } of i % 2 ? sides : sides.toReversed()) all.get(name)!.push(await load(s, opt, isExec)); all.get('bare')!.push(await load(bare, isExec ? { amount: 3000 } : opt, false)); }
const med = (v: number[]) => v.toSorted((a, b) => a - b)[v.length >> 1]!;
const b = all.get('bare')!;
for (const [name, v] of all) console.log(name.padEnd(10), `median ${med(v).toFixed(2)} min ${Math.min(...v).toFixed(2)} ratio ${med(v.map((x, i) => x / b[i]!)).toFixed(3)} medians ${(med(v) / med(b)).toFixed(3)}`);
process.exit(0);

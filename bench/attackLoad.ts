import { parsingAttacks } from './attacks/parsing.ts';
import { tellParent } from './child.ts';

// The load of one attack: its name, the server, the token, the connections and the seconds. The command `run` resolves when it is over.
const [name, url = '', token = '', connections, seconds] = process.argv.slice(2);
const attack = parsingAttacks.find((each) => each.name === name);
if (attack === undefined) throw new Error(`no attack ${name}`);
tellParent('', () => ({ calls: 0, batches: 0 }), {
  async run() {
    const signal = AbortSignal.timeout(Number(seconds) * 1000);
    return (await attack.run({ url, token }, { connections: Number(connections), signal })).requests;
  },
});

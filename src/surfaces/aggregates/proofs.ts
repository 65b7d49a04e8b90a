import { z } from 'zod';
import { isSetHash, readsOfUrl } from '../../answers/assurance.ts';
import { explainRequests, proofsOff } from '../../chain/proofs/answerProofs.ts';
import type { ProofBounds } from '../../config/limits/limits.ts';
import { badInput } from '../../reads/errors.ts';
import { createRoute, type Route, textInQuery } from './route.ts';

const proof = z
  .object({
    version: z.number().int(),
    chainId: z.string(),
    prefix: z.string().describe('The prefix of account addresses.'),
    height: z.string().describe('The height of the state.'),
    header: z.unknown().describe('The next header, which has the app hash of the state, as a node prints it.'),
    commit: z.unknown().describe('Its commit. Votes that two thirds of the power do not need are absent.'),
    validators: z.unknown().optional().describe('Its validators. Absent if `trusted` is their hash.'),
    previous: z.unknown().describe('The header of the height itself.'),
    stores: z
      .record(z.string(), z.object({ proof: z.string(), tree: z.string() }))
      .describe('By store, the proof of its root and a part of its tree, in base64.'),
    reads: z.array(z.object({ path: z.string(), request: z.string() })).describe('The requests that are proven.'),
    fields: z.record(z.string(), z.string()).describe('The levels of the fields of a GraphQL answer. Empty here.'),
  })
  .describe('A proof of answers of the application. `@stele/verify` verifies it.');

/** The proof of requests to the application at one height. The header `proof-url` of other paths names it. Upstream reads: the keys, with their proofs. */
export function proofRoute(bounds: ProofBounds): Route {
  return createRoute({
    path: '/v1/proofs/{height}',
    operationId: 'getProof',
    services: [],
    summary: 'The proof of answers',
    description:
      'Returns what proves the answers of the application to requests at a height, up to the signatures of the validators. Paths with `proof=1` name the URL of their proof in the header `proof-url`. Requests that cannot be proven are not in `reads` of the proof. Costs a point for each key beside the first.',
    parameters: {
      height: {
        in: 'path',
        description: 'The height of the state. At the newest height, the response waits for the next block.',
        schema: { type: 'string', pattern: '^[0-9]+$' },
        read(text = '', name) {
          if (!/^0*[1-9]\d{0,18}$/.test(text)) throw badInput(name, text, 'a height in decimal');
          return text;
        },
      },
      read: {
        in: 'query',
        description:
          'The requests: the path of a query method, a colon, and the encoded request in base64url. Further requests of the same path follow after commas.',
        schema: { type: 'array', items: { type: 'string' } },
        read(text = '', name) {
          const requests = readsOfUrl(text);
          if (requests === undefined) throw badInput(name, text, 'a path of a query method, `:`, and a request in base64url');
          return requests;
        },
      },
      trusted: textInQuery('The hash of the validator set that the client has, in hex. The proof then leaves it out.'),
    },
    name: 'AnswerProof',
    fields: { proof },
    height: ({ height }) => height,
    points({ trusted }) {
      if (!isSetHash(trusted)) throw badInput('trusted', trusted ?? '', 'the hash of a validator set: 64 hexadecimal digits');
      return 1;
    },
    async answer(pin, { read, trusted }, charge) {
      const { answerProofs } = pin.client;
      if (answerProofs === undefined) throw proofsOff();
      const { bundle, keys } = await answerProofs.of(pin.height, explainRequests(read), {
        ...bounds,
        trusted,
        signal: pin.signal,
      });
      charge(keys);
      return { proof: bundle };
    },
  });
}

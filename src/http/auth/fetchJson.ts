import { request } from 'undici';

/** Largest answer that is read, bytes: a key set has a few thousand. */
const largestAnswer = 1024 * 1024;

/**
 * The JSON at an address. Rejects with what is wrong: no answer within `timeout` ms, its last byte included, another status than 200
 * (redirects are not followed), more than 1 MiB, no JSON.
 */
export async function fetchJson(url: string, { timeout }: { readonly timeout: number }): Promise<unknown> {
  const signal = AbortSignal.timeout(timeout);
  const { statusCode, body } = await request(url, { signal, headers: { accept: 'application/json' } });
  if (statusCode !== 200) {
    await body.dump({ limit: largestAnswer, signal }).catch(() => undefined);
    throw new Error(`${new URL(url).pathname} of the issuer is answered with status ${statusCode}`);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    // Leaving the loop closes the connection.
    if (size > largestAnswer) throw new Error(`${new URL(url).pathname} of the issuer has more than ${largestAnswer} bytes`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks, size).toString());
}

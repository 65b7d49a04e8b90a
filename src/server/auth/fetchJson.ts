import { request } from 'undici';

/** Largest response that is read, in bytes. A key set has a few thousand. */
const maxResponse = 1024 * 1024;

/**
 * Fetches the JSON at a URL. Rejects if the response is not complete within `timeout` ms, has a status other than 200
 * (redirects are not followed), is larger than 1 MiB, or is not JSON.
 */
export async function fetchJson(url: string, { timeout }: { readonly timeout: number }): Promise<unknown> {
  const signal = AbortSignal.timeout(timeout);
  const { statusCode, body } = await request(url, { signal, headers: { accept: 'application/json' } });
  if (statusCode !== 200) {
    await body.dump({ limit: maxResponse, signal }).catch(() => undefined);
    throw new Error(`the issuer responds with status ${statusCode} at ${new URL(url).pathname}`);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    // Throwing ends the iteration, which closes the connection.
    if (size > maxResponse)
      throw new Error(`the response of the issuer at ${new URL(url).pathname} has more than ${maxResponse} bytes`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks, size).toString());
}

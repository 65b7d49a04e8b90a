import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './ports.ts';

/** A proxy of `deploy/` that ends TLS in front of a server. */
export interface RunningProxy {
  /** `https://localhost:port`. Its certificate is self-signed. */
  readonly url: string;
  close(): Promise<void>;
}

/** Resolves when the proxy answers. Throws what it printed if it ends before. */
async function answering(url: string, child: ChildProcess, said: () => string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the proxy ended: ${said()}`);
    const answered = await new Promise<boolean>((resolve) => {
      const asked = request(`${url}/livez`, { rejectUnauthorized: false }, (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      });
      asked.once('error', () => resolve(false)).end();
    });
    if (answered) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Runs a command in a new directory, in which `prepare` has put its files. */
async function run(
  port: number,
  prepare: (directory: string) => { readonly command: readonly string[]; readonly env?: Readonly<Record<string, string>> },
): Promise<RunningProxy> {
  const directory = mkdtempSync(join(tmpdir(), 'stele-proxy-'));
  const { command, env = {} } = prepare(directory);
  const [program = '', ...args] = command;
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += String(chunk);
    });
  const url = `https://localhost:${port}`;
  const close = async (): Promise<void> => {
    if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
    rmSync(directory, { recursive: true, force: true });
  };
  await answering(url, child, () => output).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return { url, close };
}

/** Replaces `${NAME}` as `envsubst` does, for these names only. */
function substituted(text: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce((done, [name, value]) => done.replaceAll(`\${${name}}`, value), text);
}

/** Starts nginx with `deploy/nginx/stele.conf.template`, in front of the server at `upstream` (host and port). */
export async function startNginx(upstream: string): Promise<RunningProxy> {
  const port = await freePort();
  return run(port, (directory) => {
    const [certificate, key] = [join(directory, 'tls.crt'), join(directory, 'tls.key')];
    const subject = ['-subj', '/CN=localhost', '-days', '1'];
    const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    spawnSync('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', certificate]);
    const template = readFileSync('deploy/nginx/stele.conf.template', 'utf8');
    const values = {
      STELE_LISTEN: `127.0.0.1:${port}`,
      STELE_UPSTREAM: upstream,
      STELE_CERTIFICATE: certificate,
      STELE_CERTIFICATE_KEY: key,
    };
    writeFileSync(join(directory, 'stele.conf'), substituted(template, values));
    // What the image of nginx has in its main file.
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${directory}/${kind};`,
    );
    const main = `daemon off; pid ${directory}/pid; error_log stderr; worker_processes 1; events { }
http { access_log off; ${temporary.join(' ')} include ${directory}/stele.conf; }`;
    writeFileSync(join(directory, 'nginx.conf'), main);
    return { command: ['nginx', '-p', directory, '-c', join(directory, 'nginx.conf')] };
  });
}

/** Starts Caddy with `deploy/caddy/Caddyfile`, in front of the server at `upstream` (host and port). */
export async function startCaddy(upstream: string): Promise<RunningProxy> {
  const port = await freePort();
  return run(port, (directory) => {
    mkdirSync(join(directory, 'data'));
    const env = {
      STELE_SITE: `https://localhost:${port}`,
      STELE_UPSTREAM: upstream,
      XDG_DATA_HOME: join(directory, 'data'),
      XDG_CONFIG_HOME: join(directory, 'data'),
      HOME: directory,
    };
    return { command: ['caddy', 'run', '--adapter', 'caddyfile', '--config', 'deploy/caddy/Caddyfile'], env };
  });
}

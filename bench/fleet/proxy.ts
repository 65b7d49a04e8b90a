import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where Debian installs nginx. */
const program = '/usr/sbin/nginx';

/** Whether nginx is installed. */
export const hasNginx = existsSync(program);

/** A load balancer. */
export interface Proxy {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts nginx on `port` in front of servers on these ports of the loopback address. A server that refuses a connection is left out for a second. */
export async function startProxy(port: number, servers: readonly number[]): Promise<Proxy> {
  const directory = mkdtempSync(join(tmpdir(), 'stele-nginx-'));
  const file = join(directory, 'nginx.conf');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/${name};`,
  );
  const upstream = servers.map((server) => `server 127.0.0.1:${server} max_fails=1 fail_timeout=1s;`);
  writeFileSync(
    file,
    `daemon off; pid ${directory}/pid; error_log ${directory}/error.log; worker_processes 1; worker_rlimit_nofile 20000;
events { worker_connections 10000; }
http {
  access_log off; ${temporary.join(' ')}
  upstream stele { ${upstream.join(' ')} }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      proxy_pass http://stele; proxy_http_version 1.1; proxy_set_header Host localhost:${port}; proxy_set_header Connection "";
      proxy_buffering off; proxy_read_timeout 1h; proxy_connect_timeout 2s;
    }
  }
}
`,
  );
  const child = spawn(program, ['-p', directory, '-c', file, '-e', join(directory, 'error.log')], { stdio: 'ignore' });
  await untilListening(port);
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Resolves when something listens on a port of the loopback address. */
export async function untilListening(port: number): Promise<void> {
  for (const end = performance.now() + 60_000; ; ) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isOpen) return;
    if (performance.now() > end) throw new Error(`nothing listens on port ${port}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

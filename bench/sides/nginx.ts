import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Children } from '../processes/children.ts'
import { freePort, untilListening } from '../processes/free-port.ts'
import { type Side, shadowDeadlineMs } from './side.ts'

interface NginxOptions {
  name: string
  directory: string
  cpus: string | undefined
  primary: number
  /** Port to mirror to with nginx's `mirror` directive. */
  shadow?: number
  /** Whether a server answers there. */
  shadowAnswers?: boolean
}

const upMs = 5000
export const bodyBufferBytes = 8 * 1024 * 1024

/** For example `1.22.1`; undefined if nginx is not installed. */
export function nginxVersion(): string | undefined {
  const { stderr, status } = spawnSync('nginx', ['-v'], { encoding: 'utf8' })
  return status === 0 ? /nginx\/(\S+)/.exec(stderr)?.[1] : undefined
}

/** One worker in the foreground; all files go to a directory of its own. */
export async function startNginx(children: Children, options: NginxOptions): Promise<Side> {
  const prefix = join(options.directory, options.name)
  mkdirSync(prefix)
  chmodSync(options.directory, 0o755) // the worker runs as another user if the master is root
  const port = await freePort()
  const file = join(prefix, 'nginx.conf')
  writeFileSync(file, nginxConfig(port, prefix, options))
  const child = children.start({
    name: options.name,
    command: 'nginx',
    args: ['-p', prefix, '-c', file, '-g', 'daemon off;'],
    cpus: options.cpus,
  })
  await untilListening(port, upMs, () => children.assertRunning(child, options.name))
  return {
    name: options.name,
    port,
    pid: child.pid,
    countedAtCandidate: options.shadowAnswers ?? false,
    ledger: undefined,
  }
}

/**
 * Like our mirror, it keeps connections open on both sides: the default closes each after 1000 requests. The body
 * buffer is larger than any request of the bench, so that bodies stay in memory; nginx allocates only what a body
 * needs.
 */
function nginxConfig(port: number, prefix: string, { primary, shadow }: NginxOptions): string {
  const upstream = (name: string, target: number) =>
    `upstream ${name} { server 127.0.0.1:${target}; keepalive 64; keepalive_requests 1000000000; }`
  return `
worker_processes 1;
pid ${prefix}/nginx.pid;
error_log stderr warn;
events { worker_connections 4096; }
http {
  access_log off;
  keepalive_requests 1000000000;
  client_max_body_size ${bodyBufferBytes};
  client_body_buffer_size ${bodyBufferBytes};
  client_body_temp_path ${prefix}/body;
  proxy_temp_path ${prefix}/proxy;
  fastcgi_temp_path ${prefix}/fastcgi;
  uwsgi_temp_path ${prefix}/uwsgi;
  scgi_temp_path ${prefix}/scgi;
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  ${upstream('primary', primary)}
  ${shadow === undefined ? '' : upstream('shadow', shadow)}
  server {
    listen 127.0.0.1:${port};
    location / {
      ${shadow === undefined ? '' : 'mirror /shadow;'}
      proxy_pass http://primary;
    }
    ${shadow === undefined ? '' : shadowLocation}
  }
}
`
}

const shadowLocation = `location = /shadow {
      internal;
      proxy_read_timeout ${shadowDeadlineMs}ms;
      proxy_pass http://shadow$request_uri;
    }`

import type { BenchSurroundings } from '../bench.ts'
import { allowedCpus, type Pinning } from '../processes/pin.ts'
import { type Backends, startBackends } from '../processes/start-backends.ts'
import { startNginx } from '../sides/nginx.ts'
import type { Side } from '../sides/side.ts'
import { startUnderstudy } from '../sides/understudy.ts'

/** All running sides and backends. */
export interface Stage extends Backends {
  sides: Side[]
}

/** The only settings in which our sides differ. */
const ours = [
  { name: 'share-0', share: 0, forwarder: 'wire' },
  { name: 'share-10', share: 0.1, forwarder: 'wire' },
  { name: 'share-100', share: 1, forwarder: 'wire' },
  { name: 'hung', share: 1, forwarder: 'wire', candidateHangs: true },
  { name: 'http-proxy-3-share-0', share: 0, forwarder: 'http-proxy-3' },
  { name: 'http-proxy-3-share-100', share: 1, forwarder: 'http-proxy-3' },
] as const satisfies { name: string; share: number; forwarder: string; candidateHangs?: true }[]
export const ourSides: readonly string[] = ours.map(({ name }) => name)

export async function startBench(around: BenchSurroundings): Promise<Stage> {
  const { children, directory, progress } = around
  const backends = await startBackends(around, { acceptOnce: false })
  const { primary, candidate, hung, comparator } = backends.upstreams
  if (backends.nginxVersion === undefined) progress('nginx is not installed: its sides are left out')

  const proxy = { directory, cpus: backends.pinning.proxy, primary }
  const sides: Side[] = [
    { name: 'direct', port: primary, pid: undefined, countedAtCandidate: false, ledger: undefined },
  ]
  if (backends.nginxVersion !== undefined) {
    sides.push(
      await startNginx(children, { ...proxy, name: 'nginx' }),
      await startNginx(children, { ...proxy, name: 'nginx-mirror', shadow: candidate, shadowAnswers: true }),
      await startNginx(children, { ...proxy, name: 'nginx-mirror-hung', shadow: hung }),
    )
  }
  for (const { name, share, forwarder, ...rest } of ours) {
    const target = 'candidateHangs' in rest ? hung : candidate
    sides.push(await startUnderstudy(children, { ...proxy, name, share, forwarder, candidate: target, comparator }))
  }
  assertPinned(sides, backends.pinning)
  return { ...backends, sides }
}

function assertPinned(sides: readonly Side[], { proxy }: Pinning): void {
  for (const { name, pid } of sides) {
    if (proxy === undefined || pid === undefined) continue
    const cpus = allowedCpus(pid).join(',')
    if (cpus !== proxy) throw new Error(`${name} should run on CPU ${proxy} and may run on ${cpus}`)
  }
}

import { describe, expect, test } from 'vitest'
import { read, readConfig, type Service, services } from './deployed.ts'

describe('systemd', () => {
  const unit = (service: Service) => {
    const lines = [...read(`deploy/systemd/understudy-${service}.service`).matchAll(/^([A-Za-z]+)=(.*)$/gm)]
    return (key: string) => lines.filter(([, name]) => name === key).map(([, , value]) => value!)
  }
  const example = readConfig('docs/understudy.example.yaml', {
    mirror: ['UNDERSTUDY_INGEST_TOKEN'],
    'candidate-server': [],
    comparator: [],
  })

  test.each(services)('%s: runs its command and has enough time to stop', (service) => {
    const of = unit(service)
    const bin = '/opt/understudy/node_modules/.bin'
    expect(of('ExecStart')).toEqual([`${bin}/understudy ${service} --config /etc/understudy/understudy.yaml`])
    expect(of('Environment')[0]).toMatch(new RegExp(`^PATH=${bin}:`))
    expect(Number(of('TimeoutStopSec')[0]) * 1000).toBeGreaterThan(example.stopMs[service])
    // an invalid config
    expect(of('RestartPreventExitStatus')).toEqual(['2'])
    // otherwise systemd would signal the children too
    expect(of('KillMode')).toEqual(['mixed'])
    // the problems of a wrong config name no level
    expect(of('SyslogLevel')).toEqual(['warning'])
    expect(of('WorkingDirectory')).toEqual([`%S/${of('StateDirectory')[0]}`])
  })

  test('SIGHUP is only sent to services that reload their config', () => {
    const reloaded = services.filter((service) => unit(service)('ExecReload').length > 0)
    expect(reloaded).toEqual(['mirror', 'candidate-server'])
    for (const service of reloaded) expect(unit(service)('ExecReload')).toEqual(['/bin/kill -HUP $MAINPID'])
  })

  test('nothing the services do is forbidden', () => {
    for (const service of services) {
      // V8 compiles at run time
      expect(unit(service)('MemoryDenyWriteExecute')).toEqual([])
      // Fastify lists the machine's addresses when it listens on all of them
      expect(unit(service)('RestrictAddressFamilies')[0]).toMatch(/\bAF_NETLINK\b/)
    }
    const candidateServer = unit('candidate-server')
    // needed for sched_setaffinity and set_mempolicy
    expect(candidateServer('SystemCallFilter').join()).not.toMatch(/~.*@resources/)
    // needed for /proc/cpuinfo
    expect(candidateServer('ProcSubset')).toEqual([])
    for (const service of ['mirror', 'candidate-server'] as const) {
      expect(unit(service)('OOMPolicy')).toEqual(['continue'])
    }
  })
})

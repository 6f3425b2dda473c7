import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { candidateServerSchema } from '../../candidate-server/config.ts'
import { loadSection } from '../../runtime/config/load-config.ts'
import { parseDuration } from '../../vocabulary/units.ts'
import { madeSecrets, read, readConfig, root, type Service, services, yaml } from './deployed.ts'

describe('compose', () => {
  const text = read('deploy/compose.yaml')
  const compose = yaml('deploy/compose.yaml')
  const variables = (service: Service) => Object.keys(compose.services[service].environment ?? {})
  const config = readConfig('deploy/compose/understudy.yaml', {
    mirror: variables('mirror'),
    'candidate-server': variables('candidate-server'),
    comparator: variables('comparator'),
  })
  const app = loadSection(join(root, 'deploy/compose/app.yaml'), 'candidateServer', candidateServerSchema, {})

  test('has no default for a secret, and new-secrets.sh creates each one', () => {
    const used = [...text.matchAll(/\$\{(\w+)([^}]*)\}/g)].map(([, name, rest]) => ({ name, rest }))
    expect(used.filter(({ rest }) => !rest!.startsWith(':?'))).toEqual([])
    expect(used.filter(({ name }) => !madeSecrets.includes(name!))).toEqual([])
    expect(read('.gitignore')).toContain('deploy/.env\n')
  })

  test('only the mirror is exposed', () => {
    const published = Object.entries(compose.services).flatMap(([service, { ports = [] }]: any) =>
      ports.map((port: string) => [service, port]),
    )
    const { mirror, comparator } = config
    expect(published).toEqual([
      ['mirror', `${mirror.listen.port}:${mirror.listen.port}`],
      ['comparator', `127.0.0.1:${comparator.listen.port}:${comparator.listen.port}`],
    ])
  })

  test('services that call each other share a network, and no others do', () => {
    const networksOf = (service: string): string[] => compose.services[service].networks
    const meets = (one: string, other: string) => networksOf(one).some((name) => networksOf(other).includes(name))
    const names = Object.keys(compose.services)
    const pairs = names.flatMap((one, i) =>
      names
        .slice(i + 1)
        .filter((other) => meets(one, other))
        .map((other) => [one, other]),
    )
    expect(pairs).toEqual([
      ['mirror', 'app'],
      ['mirror', 'candidate-server'],
      ['mirror', 'comparator'],
      ['comparator', 'postgres'],
    ])
    const isInternal = (service: string) => networksOf(service).every((name) => compose.networks[name]?.internal)
    expect(names.filter(isInternal)).toEqual(['candidate-server', 'postgres'])
  })

  test.each(services)(
    '%s: runs with its config, is probed where it answers, and has enough time to stop',
    (service) => {
      const { command, volumes, healthcheck, stop_grace_period, restart } = compose.services[service]
      expect(command).toEqual([service, '--config', '/etc/understudy/understudy.yaml'])
      expect(volumes).toContain('./compose:/etc/understudy:ro')
      expect(healthcheck.test.at(-1)).toBe(`http://127.0.0.1:${config.probed[service]}/readyz`)
      expect(parseDuration(stop_grace_period)).toBeGreaterThan(config.stopMs[service])
      expect(restart).toBe('unless-stopped')
    },
  )

  test('no log grows without limit', () => {
    for (const [name, { logging }] of Object.entries<any>(compose.services)) {
      expect(logging, name).toEqual({ driver: 'local' })
    }
  })

  test('the address by which one service calls another is the one it listens on', () => {
    const { mirror, candidateServer, comparator } = config
    expect(mirror.primary).toBe(`http://app:${app.listen.port}`)
    expect(compose.services.app.healthcheck.test.at(-1)).toBe(`http://127.0.0.1:${app.listen.port}/readyz`)
    expect(mirror.comparator!.url).toBe(`http://comparator:${comparator.listen.port}`)
    expect(mirror.routes.flatMap(({ candidates }) => candidates.map(({ url }) => url))).toEqual([
      `http://candidate-server:${candidateServer.listen.port}`,
    ])
    expect(Object.keys(compose.services)).toEqual(expect.arrayContaining(['app', 'comparator', 'candidate-server']))
    expect(compose.services.comparator.environment.DATABASE_URL).toMatch(/^postgres:\/\/understudy:.*@postgres:5432\//)
  })

  test('models are included, and written data is on a volume', () => {
    for (const { path } of [...config.candidateServer.models, ...app.models]) {
      expect(existsSync(join(root, 'deploy/demo/models', path.replace(/^\/models\//, '')))).toBe(true)
    }
    expect(compose.services['candidate-server'].volumes).toContain('./demo/models:/models:ro')
    const written = Object.keys(compose.volumes).map((name) => [
      name,
      Object.values(compose.services)
        .flatMap(({ volumes = [] }: any) => volumes as string[])
        .find((volume) => volume.startsWith(`${name}:`)),
    ])
    expect(Object.fromEntries(written)).toEqual({
      spool: 'spool:/var/lib/understudy',
      postgres: 'postgres:/var/lib/postgresql/data',
    })
    expect(config.mirror.spool.dir).toMatch(/^\/var\/lib\/understudy\//)
    expect(read('deploy/Dockerfile')).toMatch(/--owner=10001 .*\/var\/lib\/understudy$/m)
  })
})

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { madeSecrets, read, readConfig, root, type Service, services, yaml } from './deployed.ts'

describe('Kubernetes', () => {
  const kustomization = yaml('deploy/kubernetes/kustomization.yaml')
  const objects: any[] = (kustomization.resources as string[]).flatMap((file) =>
    parseAllDocuments(read(`deploy/kubernetes/${file}`)).map((document) => document.toJS()),
  )
  const find = (kind: string, name: string) =>
    objects.find((object) => object.kind === kind && object.metadata.name === name)
  const pods = Object.fromEntries(
    services.map((service) => {
      const { template } = (find('Deployment', service) ?? find('StatefulSet', service)).spec
      const { labels, annotations } = template.metadata
      return [service, { ...template.spec, labels, annotations, container: template.spec.containers[0] }]
    }),
  ) as Record<Service, any>
  const secrets = (service: Service): any[] =>
    (pods[service].container.env ?? []).filter(({ valueFrom }: any) => valueFrom?.secretKeyRef.name === 'understudy')
  const variables = (service: Service) => secrets(service).map(({ name }) => name as string)
  const config = readConfig('deploy/kubernetes/understudy.yaml', {
    mirror: variables('mirror'),
    'candidate-server': variables('candidate-server'),
    comparator: variables('comparator'),
  })
  const portOf = (service: Service, name: string) =>
    pods[service].container.ports.find((port: any) => port.name === name)?.containerPort

  test('every manifest is rendered', () => {
    const files = readdirSync(join(root, 'deploy/kubernetes'))
    expect(
      [...kustomization.resources, ...kustomization.configMapGenerator[0].files, 'kustomization.yaml'].sort(),
    ).toEqual(files.sort())
  })

  test('every file that the README makes secrets from is kept out of git', () => {
    const files = [...read('deploy/README.md').matchAll(/--from-env-file (\S+)/g)].map(([, file]) => file)
    expect(files).toEqual(['deploy/.env', 'deploy/database.env'])
    expect(read('.gitignore').split('\n')).toEqual(expect.arrayContaining(files))
  })

  test('containers listen where the config says', () => {
    expect(portOf('mirror', 'http')).toBe(config.mirror.listen.port)
    expect(portOf('mirror', 'admin')).toBe(config.mirror.admin.port)
    expect(portOf('candidate-server', 'http')).toBe(config.candidateServer.listen.port)
    expect(portOf('comparator', 'http')).toBe(config.comparator.listen.port)
    for (const { spec, metadata } of objects.filter(({ kind }) => kind === 'Service')) {
      expect(spec.selector).toEqual(pods[metadata.name as Service].labels)
      for (const { port, targetPort } of spec.ports) expect(port).toBe(portOf(metadata.name, targetPort))
    }
    expect(config.mirror.comparator!.url).toBe(`http://comparator:${config.comparator.listen.port}`)
    const candidates = config.mirror.routes.flatMap((route) => route.candidates.map(({ url }) => url))
    expect(candidates).toEqual([`http://candidate-server:${config.candidateServer.listen.port}`])
  })

  test.each(services)('%s: probes ask where it answers, and it has enough time to stop', (service) => {
    const { container, terminationGracePeriodSeconds } = pods[service]
    expect(container.args).toEqual([service, '--config', '/etc/understudy/understudy.yaml'])
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
      const { path, port } = container[probe].httpGet
      expect(portOf(service, port)).toBe(config.probed[service])
      expect(path).toMatch(probe === 'livenessProbe' ? /^\/healthz$/ : /^\/(healthz|readyz)$/)
    }
    expect(container.readinessProbe.httpGet.path).toBe('/readyz')
    const [, preStopSeconds] = container.lifecycle.preStop.exec.command
    expect(terminationGracePeriodSeconds * 1000).toBeGreaterThan(Number(preStopSeconds) * 1000 + config.stopMs[service])
  })

  test('the candidate server may start more slowly than any of its models', () => {
    const { periodSeconds, failureThreshold } = pods['candidate-server'].container.startupProbe
    const { limits, models } = config.candidateServer
    expect(periodSeconds * failureThreshold * 1000).toBeGreaterThan(limits.startTimeout * models.length)
  })

  test.each(services)('%s: runs as nobody, and writes only to its volumes', (service) => {
    const { securityContext, container } = pods[service]
    expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10001 })
    expect(read('deploy/Dockerfile')).toContain('USER 10001:10001')
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    const writable = container.volumeMounts.filter(({ readOnly }: any) => !readOnly)
    const wanted = { mirror: ['/var/lib/understudy'], 'candidate-server': ['/dev/shm'], comparator: [] }
    expect(writable.map(({ mountPath }: any) => mountPath)).toEqual(wanted[service])
    expect(find('PodDisruptionBudget', service).spec.selector.matchLabels).toEqual(pods[service].labels)
  })

  test('each mirror has its own spool, with enough room', () => {
    const [claim] = find('StatefulSet', 'mirror').spec.volumeClaimTemplates
    expect(claim.metadata.name).toBe(pods.mirror.container.volumeMounts[1].name)
    expect(config.mirror.spool.dir).toMatch(/^\/var\/lib\/understudy\//)
    const gib = Number(/^(\d+)Gi$/.exec(claim.spec.resources.requests.storage)![1])
    expect(gib * 2 ** 30).toBeGreaterThan(config.mirror.spool.sizeMax)
  })

  test('the candidate server has whole CPUs of its own', () => {
    const { requests, limits } = pods['candidate-server'].container.resources
    expect(limits).toEqual(requests)
    expect(limits.cpu).toMatch(/^\d+$/)
  })

  test('only the mirror is exposed', () => {
    const open = services.flatMap((service) => {
      const { podSelector, ingress } = find('NetworkPolicy', service).spec
      expect(podSelector.matchLabels).toEqual(pods[service].labels)
      return ingress.flatMap(({ from, ports }: any) =>
        from ? [] : ports.map(({ port }: any) => [service, portOf(service, port)]),
      )
    })
    expect(open).toEqual([['mirror', config.mirror.listen.port]])
  })

  test('the candidate server, which reads strangers’ data, calls nobody', () => {
    const { policyTypes, egress } = find('NetworkPolicy', 'candidate-server').spec
    expect(policyTypes).toEqual(['Ingress', 'Egress'])
    expect(egress).toEqual([])
  })

  test.each(services)(
    '%s: its pods run on different hosts if possible, and declare where their metrics are',
    (service) => {
      const { topologySpreadConstraints, labels, annotations } = pods[service]
      expect(topologySpreadConstraints).toMatchObject([
        { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: labels } },
      ])
      expect(annotations).toEqual({
        'prometheus.io/scrape': 'true',
        'prometheus.io/port': String(config.probed[service]),
      })
    },
  )

  test('the secret contains every key that is read', () => {
    const made = [...madeSecrets, 'DATABASE_URL']
    const keys = services.flatMap((service) => secrets(service).map(({ valueFrom }) => valueFrom.secretKeyRef.key))
    expect(keys.filter((key) => !made.includes(key))).toEqual([])
  })
})

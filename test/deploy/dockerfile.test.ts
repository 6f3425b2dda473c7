import { existsSync, globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { read, root, yaml } from './deployed.ts'

describe('the Dockerfile', () => {
  const copied = [...read('deploy/Dockerfile').matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, sources]) =>
    sources!.split(' '),
  )

  test('copies what there is, and all that a service imports', () => {
    expect(copied.filter((source) => !existsSync(join(root, source)))).toEqual([])
    const files = globSync('{candidate-server,cli,comparator,mirror}/**/*.{ts,tsx}', { cwd: root })
    const needed = files
      .filter((file) => !file.endsWith('.test.ts'))
      .flatMap((file) =>
        [...read(file).matchAll(/['"](\.{1,2}\/[\w./-]*\w)['"]/g)].map(([, path]) => join(dirname(file), path!)),
      )
      .filter((path) => existsSync(join(root, path)))
      .map((path) => path.split('/')[0]!)
    // installed packages, and the demo's data, which no service reads
    const elsewhere = ['node_modules', 'deploy']
    expect([...new Set(needed)].filter((source) => ![...copied, ...elsewhere].includes(source))).toEqual([])
    expect(new Set(needed).size).toBeGreaterThan(6)
  })

  test('gets of the checkout what it copies, and nothing else', () => {
    const lines = read('deploy/Dockerfile.dockerignore').split('\n')
    expect(lines.find((line) => line !== '' && !line.startsWith('#'))).toBe('*')
    const letIn = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
    expect(letIn.sort()).toEqual([...copied].sort())
  })

  test('leaves out of ONNX Runtime and Node what lies where it looks for it', () => {
    const installed = (pattern: string) => globSync(`node_modules/${pattern}`, { cwd: root })
    expect(installed('onnxruntime-node/bin/*/linux/*/libonnxruntime.so.1').length).toBeGreaterThan(0)
    expect(installed('onnxruntime-node/bin/*/win32/*/onnxruntime.dll').length).toBeGreaterThan(0)
    expect(installed('node/node_modules/*/include')).toHaveLength(1)
  })

  test('starts the command without a shell, which would keep signals to itself, as nobody', () => {
    const text = read('deploy/Dockerfile')
    expect(text).toMatch(/^ENTRYPOINT \["tini", "--", "understudy"\]$/m)
    expect(text).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m)
  })

  test('and all who name its image name this version', () => {
    const named = ['deploy/Dockerfile', 'deploy/compose.yaml', 'deploy/README.md'].flatMap((file) =>
      [...read(file).matchAll(/understudy:(\d\S*)/g)].map(([, version]) => version),
    )
    const tags = yaml('deploy/kubernetes/kustomization.yaml').images.map(({ newTag }: { newTag: string }) => newTag)
    expect(named.length).toBeGreaterThanOrEqual(3)
    expect([...new Set([...named, ...tags])]).toEqual([packageJson.version])
  })
})

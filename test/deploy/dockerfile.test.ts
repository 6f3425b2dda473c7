import { existsSync, globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { read, root, yaml } from './deployed.ts'

describe('the Dockerfile', () => {
  const copied = [...read('deploy/Dockerfile').matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, sources]) =>
    sources!.split(' '),
  )

  test('copies only what exists, and everything that a service imports', () => {
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

  test('gets from the checkout only what it copies', () => {
    const lines = read('deploy/Dockerfile.dockerignore').split('\n')
    expect(lines.find((line) => line !== '' && !line.startsWith('#'))).toBe('*')
    const letIn = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
    expect(letIn.sort()).toEqual([...copied].sort())
  })

  test('leaves out the parts of ONNX Runtime and Node it does not need, by their actual paths', () => {
    const installed = (pattern: string) => globSync(`node_modules/${pattern}`, { cwd: root })
    expect(installed('onnxruntime-node/bin/*/linux/*/libonnxruntime.so.1').length).toBeGreaterThan(0)
    expect(installed('onnxruntime-node/bin/*/win32/*/onnxruntime.dll').length).toBeGreaterThan(0)
    expect(installed('node/node_modules/*/include')).toHaveLength(1)
  })

  test('starts the command as nobody and without a shell, which would swallow signals', () => {
    const text = read('deploy/Dockerfile')
    expect(text).toMatch(/^ENTRYPOINT \["tini", "--", "understudy"\]$/m)
    expect(text).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m)
  })

  test('and every reference to its image has this version', () => {
    const named = ['deploy/Dockerfile', 'deploy/compose.yaml', 'deploy/README.md'].flatMap((file) =>
      [...read(file).matchAll(/understudy:(\d\S*)/g)].map(([, version]) => version),
    )
    const tags = yaml('deploy/kubernetes/kustomization.yaml').images.map(({ newTag }: { newTag: string }) => newTag)
    expect(named.length).toBeGreaterThanOrEqual(3)
    expect([...new Set([...named, ...tags])]).toEqual([packageJson.version])
  })
})

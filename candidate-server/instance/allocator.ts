import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AllocatorChoice } from '../config/cpu.ts'

export type Allocator = { kind: 'system' } | { kind: 'preloaded'; name: string; path: string }

const libraryFolders = [
  '/usr/lib/x86_64-linux-gnu',
  '/usr/lib/aarch64-linux-gnu',
  '/lib/x86_64-linux-gnu',
  '/lib/aarch64-linux-gnu',
  '/usr/lib64',
  '/lib64',
  '/usr/local/lib',
  '/usr/lib',
  '/lib',
]
/** Without a -dev package, distributions install only versioned names (`libjemalloc.so.2`). */
const libraries = [
  { name: 'jemalloc', pattern: /^libjemalloc\.so(\.\d+)*$/, package: 'libjemalloc2' },
  { name: 'tcmalloc', pattern: /^libtcmalloc(_minimal)?\.so(\.\d+)*$/, package: 'libtcmalloc-minimal4' },
]

/** Throws if an allocator requested by name is not installed. */
export function findAllocator(choice: AllocatorChoice): Allocator {
  if (choice === 'none') return { kind: 'system' }
  const wanted = libraries.filter(({ name }) => choice === 'auto' || name === choice)
  for (const { name, pattern } of wanted) {
    for (const folder of libraryFolders) {
      const file = list(folder).find((entry) => pattern.test(entry))
      if (file) return { kind: 'preloaded', name, path: join(folder, file) }
    }
  }
  if (choice === 'auto') return { kind: 'system' }
  throw new Error(
    `cpu.allocator is ${choice}, which is not installed; install it (Debian: apt-get install ${wanted[0]!.package}) or set cpu.allocator: auto`,
  )
}

/** Environment variables that configure an instance's allocator. */
export function allocatorEnvironment(
  allocator: Allocator,
  hugePages: boolean,
  env: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  if (allocator.kind === 'preloaded') {
    const asked = allocator.name === 'jemalloc' && hugePages
    return {
      LD_PRELOAD: allocator.path,
      ...(asked && { MALLOC_CONF: joined(env.MALLOC_CONF, 'thp:always,metadata_thp:auto', ',') }),
    }
  }
  // glibc 2.35 and later: 1 enables transparent huge pages through madvise
  return hugePages ? { GLIBC_TUNABLES: joined(env.GLIBC_TUNABLES, 'glibc.malloc.hugetlb=1', ':') } : {}
}

const joined = (before: string | undefined, more: string, by: string) => (before ? `${before}${by}${more}` : more)

/** Whether the library is actually mapped: the dynamic loader only warns if it cannot preload one. */
export function isPreloaded(pid: number, path: string): boolean {
  try {
    const file = path.split('/').at(-1)!
    return readFileSync(`/proc/${pid}/maps`, 'utf8').includes(file.replace(/\.so.*/, '.so'))
  } catch {
    return false
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}

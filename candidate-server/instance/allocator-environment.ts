import type { Allocator } from './allocator.ts'

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

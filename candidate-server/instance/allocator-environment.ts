import type { Allocator } from './allocator.ts'

/** What makes an instance's allocator take memory as was asked for. */
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
  // glibc 2.35: 1 asks for transparent huge pages by madvise
  return hugePages ? { GLIBC_TUNABLES: joined(env.GLIBC_TUNABLES, 'glibc.malloc.hugetlb=1', ':') } : {}
}

const joined = (before: string | undefined, more: string, by: string) => (before ? `${before}${by}${more}` : more)

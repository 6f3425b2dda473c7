import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Compiling unchanged TypeScript modules takes half of a service's start-up CPU. The cache lies beside the packages,
// because another user could write to a shared /tmp. If the folder is read-only, Node runs without the cache.
process.env.NODE_COMPILE_CACHE ||= join(import.meta.dirname, '../node_modules/.cache/node')
enableCompileCache(process.env.NODE_COMPILE_CACHE)

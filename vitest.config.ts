import { defineConfig } from 'vitest/config'
import { compileCache } from './test/support/compile-cache.ts'

export default defineConfig({
  test: {
    env: compileCache,
    globalSetup: 'test/support/empty-database.ts',
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/*.browser.test.ts', 'bench/**'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
})

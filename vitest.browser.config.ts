import { defineConfig } from 'vitest/config'
import { compileCache } from './test/support/compile-cache.ts'

export default defineConfig({
  test: {
    env: compileCache,
    globalSetup: 'test/support/empty-database.ts',
    include: ['test/**/*.browser.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
  },
})

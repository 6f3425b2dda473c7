import { defineConfig } from 'vitest/config'
import { env } from './vitest.config.ts'

export default defineConfig({
  test: {
    env,
    globalSetup: 'test/support/prepared-databases.ts',
    include: ['test/**/*.browser.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
  },
})

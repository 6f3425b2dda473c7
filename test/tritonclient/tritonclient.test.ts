/** NVIDIA's own Python client against our server. `TRITONCLIENT_PYTHON` names a Python that has it. */
import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CandidateServer } from '../../candidate-server/server.ts'
import { demoModel, startTestServer, testModel } from '../../candidate-server/testing/start-test-server.ts'

const python = process.env.TRITONCLIENT_PYTHON ?? 'python3'
const deadlineMs = 90_000

function hasClient(): boolean {
  try {
    execFileSync(python, ['-c', 'import tritonclient.http.aio'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

// an explicitly named Python must work; any other may lack the client
if (process.env.TRITONCLIENT_PYTHON === undefined && !hasClient()) {
  test.skip(`SKIPPED: ${python} has no tritonclient; pip install 'tritonclient[http]', and name its Python in TRITONCLIENT_PYTHON`, () => {})
} else {
  describe('tritonclient', () => {
    let server: CandidateServer
    beforeAll(async () => {
      server = await startTestServer({
        models: [
          { name: 'echo', path: testModel('echo-types') },
          { name: 'diabetes', version: '7', path: demoModel('diabetes-student') },
          {
            name: 'digits',
            path: demoModel('digits-student'),
            labels: ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'],
          },
        ],
      })
    })
    afterAll(() => server?.stop())

    test(
      'all of its calls pass unmodified',
      async () => {
        const script = new URL('./check_tritonclient.py', import.meta.url).pathname
        const host = server.url.replace('http://', '')
        const { stdout } = await promisify(execFile)(python, [script, host], { timeout: deadlineMs })
        const results = JSON.parse(stdout) as Record<string, string | null>
        expect(Object.keys(results).length).toBeGreaterThanOrEqual(20)
        const failed = Object.entries(results).filter(([, problem]) => problem !== null)
        expect(failed.map(([name, problem]) => `${name}\n${problem}`).join('\n')).toBe('')
      },
      deadlineMs,
    )
  })
}

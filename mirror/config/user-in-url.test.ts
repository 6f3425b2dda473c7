import { expect, test } from 'vitest'
import { decodeSection } from '../../runtime/config/load-config.ts'
import { formatProblem } from '../../runtime/config/problem.ts'
import { mirrorSchema } from '../config.ts'

const primary = 'http://127.0.0.1:9000'
const problemsOf = (section: Record<string, unknown>) =>
  decodeSection({ primary, ...section }, 'mirror', mirrorSchema, {}).problems.map(formatProblem)

test.each(['http://ana:hunter2@127.0.0.1:9000/app', 'https://hunter2@app', 'http://ana:hunter2@[::1]:9000'])(
  '%s is refused in every setting, without showing it, and with how to send a credential',
  (url) => {
    const problems = problemsOf({
      primary: { urls: [primary, url] },
      comparator: { url, token: 't' },
      tracing: { url },
      routes: [{ path: '/p', candidates: [{ validation: 'v', url }] }],
    })
    expect(problems.join('\n')).not.toMatch(/hunter2|ana/)
    expect(problems).toEqual([
      expect.stringMatching(/mirror\.primary\.urls\[1\]: "https?:\/\/\(hidden\)@.*headers\.set/),
      expect.stringMatching(/mirror\.routes\[0\]\.candidates\[0\]\.url: .*headers\.set.*liveHeaders\.set/),
      expect.stringMatching(/mirror\.comparator\.url: .*token/),
      expect.stringMatching(/mirror\.tracing\.url: .*OTEL_EXPORTER_OTLP_HEADERS/),
    ])
    expect(problemsOf({ primary: url })).toEqual([expect.stringMatching(/mirror\.primary: .*headers\.set/)])
  },
)

test.each(['http://127.0.0.1:9000/ana@home', 'unix:/run/ana@app.sock', 'http://app'])(
  '%s is accepted, as it has no user',
  (url) => {
    expect(problemsOf({ primary: url })).toEqual([])
  },
)

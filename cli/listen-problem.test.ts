import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { listenProblem } from './listen-problem.ts'

const failure = (port: number, host: string) =>
  new Promise<string>((resolve) =>
    createServer()
      .once('error', ({ message }) => resolve(message))
      .listen(port, host),
  )

test('an unusable address is named, with what to do', async () => {
  // an address of documentation's
  expect(listenProblem(await failure(8080, '192.0.2.1'))).toBe(
    '192.0.2.1:8080 is no address of this machine; 0.0.0.0 stands for all that it has',
  )
  expect(listenProblem('listen EACCES: permission denied 0.0.0.0:80')).toMatch(/^0\.0\.0\.0:80 is not for this user; /)
  expect(listenProblem('bind EADDRINUSE 127.0.0.1:80')).toMatch(/^127\.0\.0\.1:80 is taken; /)
})

test('any other error is left as it is', () => {
  for (const message of ["EACCES: permission denied, mkdir './data/db'", 'connect ECONNREFUSED 127.0.0.1:5432', '']) {
    expect(listenProblem(message)).toBeUndefined()
  }
})

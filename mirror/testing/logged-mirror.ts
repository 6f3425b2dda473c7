import { onTestFinished } from 'vitest'
import { type StartedMirror, startMirror } from '../server.ts'
import { type LogLine, loggerUnderTest } from './logged.ts'
import { type MirrorUnderTest, mirrorConfig, tempDir, withAdmin } from './mirror-under-test.ts'

/** A mirror whose log a test can read. */
export async function loggedMirror(
  section: Record<string, unknown>,
): Promise<{ mirror: StartedMirror & MirrorUnderTest; lines: LogLine[]; logged: (message: string) => LogLine[] }> {
  const { logger, lines } = loggerUnderTest()
  const running = await startMirror({ config: mirrorConfig({ spool: { dir: tempDir() }, ...section }), logger })
  onTestFinished(() => running.stop())
  return { mirror: withAdmin(running), lines, logged: (message) => lines.filter(({ msg }) => msg === message) }
}

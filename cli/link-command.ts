import { chmodSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

// `npx understudy` in a checkout finds this link; with a `bin` entry, npx would install the checkout again
const command = join(import.meta.dirname, 'understudy.ts')
const link = join(import.meta.dirname, '../node_modules/.bin/understudy')
rmSync(link, { force: true })
symlinkSync('../../cli/understudy.ts', link)
chmodSync(command, 0o755)

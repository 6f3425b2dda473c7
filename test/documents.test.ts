import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from './support/command.ts'

const root = join(import.meta.dirname, '..')
const pages = globSync(['README.md', 'docs/*.md', 'deploy/**/*.md', 'test/**/*.md', 'bench/**/*.md'], { cwd: root })
const textOf = (page: string) => readFileSync(join(root, page), 'utf8')

/** A page without its code, in which `#` begins a comment and brackets are no links. */
const proseOf = (page: string) => textOf(page).replace(/^ *```[\s\S]*?^ *```/gm, '')

/** The anchors that GitHub gives a page's headings. */
const anchorsOf = (page: string) =>
  [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

test.each(pages)('every link of %s leads to a file and a heading', (page) => {
  const links = [...proseOf(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link]) => link!)
  const broken = links.filter((link) => {
    const [path, anchor] = link.split('#')
    const target = path === '' ? page : join(dirname(page), path!)
    return !existsSync(join(root, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor))
  })
  expect(broken).toEqual([])
})

test('every command line in the documents has only a command and options that exist', async () => {
  const lines = pages.flatMap((page) =>
    [
      ...textOf(page)
        .replaceAll('\\\n', '')
        .matchAll(/^ *(?:npx )?understudy ((?:[a-z-]+ )+)(.*)/gm),
    ].map(([, words, rest]) => ({
      command: words!.trim().split(' '),
      options: rest!.split(' # ')[0]!.match(/--[a-z-]+/g),
    })),
  )
  expect(lines.length).toBeGreaterThan(20)
  const helps = new Map<string, string>()
  for (const { command, options } of lines) {
    const isNested = ['audit', 'config'].includes(command[0]!)
    const name = command.slice(0, isNested ? 2 : 1).join(' ')
    if (!helps.has(name)) helps.set(name, (await runCommand([...name.split(' '), '--help'])).stdout)
    const help = helps.get(name)!
    expect(help, name).toContain(`Usage: understudy ${name} `)
    const unknown = (options ?? []).filter((option) => !new RegExp(` ${option}[ ,\n]`).test(help))
    expect(unknown, name).toEqual([])
  }
})

/**
 * Dotted names in one line, as docs/STATISTICS.md writes them: what shares its beginning is written once, and what
 * shares its ending too. `mae`, `a.p`, `a.x.p`, `a.x.q`, `a.y.p`, `a.y.q` → `mae, a.p, a.x|y.p|q`.
 */
export function foldNames(names: Iterable<string>): string {
  const families = [...Map.groupBy(names, (name) => cut(name).stem)].flatMap(([stem, family]) => {
    const lasts = family.map((name) => cut(name).last)
    const { stem: root, last: own } = stem.includes('.') ? cut(stem) : { stem, last: '' }
    return (stem === '' ? lasts : [lasts.join('|')]).map((tail) => ({ root, own, tail }))
  })
  const alike = Map.groupBy(families, ({ root, own, tail }) => [root, own === '', tail].join(' '))
  return [...alike.values()]
    .map((group) => [group[0]!.root, group.map(({ own }) => own).join('|'), group[0]!.tail].filter(Boolean).join('.'))
    .join(', ')
}

function cut(name: string): { stem: string; last: string } {
  const dot = name.lastIndexOf('.')
  return { stem: name.slice(0, Math.max(dot, 0)), last: name.slice(dot + 1) }
}

import type { AuditEntry } from '../../../../vocabulary/api/audit.ts'

interface AuditDay {
  /** `2026-11-21`, UTC. */
  day: string
  entries: AuditEntry[]
}

/** Groups entries by day, in the order in which they come. */
export function byDay(entries: readonly AuditEntry[]): AuditDay[] {
  const days: AuditDay[] = []
  for (const entry of entries) {
    const day = entry.at.slice(0, 10)
    const last = days.at(-1)
    if (last?.day === day) last.entries.push(entry)
    else days.push({ day, entries: [entry] })
  }
  return days
}

const dayMs = 86_400_000

const partsOf = new Intl.DateTimeFormat('en-GB', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})

/** `Saturday, 21 November 2026`, preceded by "Today" or "Yesterday" if it is. */
export function dayTitle(day: string, now: number): string {
  const began = Date.parse(`${day}T00:00:00Z`)
  const title = titleOf(began)
  const ago = Math.floor(now / dayMs) - began / dayMs
  return ago === 0 ? `Today, ${title}` : ago === 1 ? `Yesterday, ${title}` : title
}

/** Assembled from parts, because browsers differ in the comma. */
function titleOf(at: number): string {
  const parts = Object.fromEntries(partsOf.formatToParts(at).map(({ type, value }) => [type, value]))
  return `${parts.weekday}, ${parts.day} ${parts.month} ${parts.year}`
}

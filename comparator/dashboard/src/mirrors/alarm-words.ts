const titles: Record<string, string> = {
  NOTHING_ARRIVING: 'Nothing is arriving',
  BREAKER_OPEN: 'Candidate server failing',
  SPOOL_FAILING: 'Spool cannot be written',
  MIRROR_SILENT: 'Mirror is silent',
  UNKNOWN_VALIDATION: 'Unknown validation',
}

/** An alarm's code in words; an unknown code is returned as it is. */
export function alarmTitle(code: string): string {
  return titles[code] ?? code
}

const size = 1e7
export const firstViewMaxMs = 1000
export const answerBytesMax = 100_000
export const scriptBytesMax = 200_000
export const performanceMin = 95
export const accessibilityMin = 100

export const lighthouseVersion = '13.5.0'
/** On a busy machine drawing takes longer, but it does finish. */
export const patienceMs = 120_000

export const themes = ['light', 'dark'] as const
const widths = [1440, 390] as const

export interface DashboardPlan {
  size: number
  /** First views of each page, each in a fresh browser. */
  repeats: number
  /** Runs per page and device, after one that does not count; the median is reported. */
  lighthouseRuns: number
  widths: readonly number[]
}

export const dashboardPlan = (quick: boolean): DashboardPlan =>
  quick
    ? { size: 1e5, repeats: 3, lighthouseRuns: 1, widths: [1440] }
    : { size, repeats: 20, lighthouseRuns: 5, widths }

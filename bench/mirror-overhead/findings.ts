import { preliminarySentence } from '../processes/other-processes.ts'
import { figure, percent, ratio } from '../report/table.ts'
import { addedBy } from './goals.ts'
import { labels } from './labels.ts'
import { fixedRateOf, type Measured, saturatedOf } from './measured.ts'

/** Below this share of its CPU, something other than the proxy limited the rate. */
const limitedShare = 0.9

/** The answer in three sentences. */
export function inShort({ main, stage }: Measured): string {
  const { name: size, requestsPerSecond } = main.plan.payload
  const rate = (name: string) => figure(saturatedOf(main, name).requestsPerSecond.median)
  const cpu = (name: string) => figure(saturatedOf(main, name).cpuMicros?.median ?? Number.NaN)
  const toNginx = (name: string, label: string) => (stage.nginxVersion === undefined ? '' : ` (${label}: ${cpu(name)})`)
  const added = (quantile: 'p50Ms' | 'p99Ms') => {
    const { median, min, max } = addedBy(main, quantile)
    return `${figure(median)} ms (${figure(min)} to ${figure(max)})`
  }
  return [
    `With everything mirrored and compared, ${size} requests at ${requestsPerSecond}/s take ${added('p50Ms')} more at p50 and ${added('p99Ms')} more at p99 than without a proxy.`,
    `A request costs ${cpu('share-100')} µs of CPU mirrored${toNginx('nginx-mirror', 'nginx with `mirror`')} and ${cpu('share-0')} µs forwarded${toNginx('nginx', 'nginx')}.`,
    `One CPU forwards ${rate('share-0')} requests/s, or ${rate('share-100')} with everything mirrored.`,
  ].join(' ')
}

/** The answer as a list. Every sentence is computed from the run's figures, whatever they are. */
export function findings({ main, stage, othersShare }: Measured): string {
  const { name: size, requestsPerSecond } = main.plan.payload
  const rate = (name: string) => figure(saturatedOf(main, name).requestsPerSecond.median)
  const cpu = (name: string) => saturatedOf(main, name).cpuMicros?.median ?? Number.NaN
  const p50AndP99 = (name: string) => {
    const { p50Ms, p99Ms } = fixedRateOf(main, name)
    return `${figure(p50Ms.median)} and ${figure(p99Ms.median)} ms`
  }
  const { seen, mirrored } = saturatedOf(main, 'share-100').account!

  const sentences = [
    `At ${requestsPerSecond} requests/s of ${size}, p50 and p99 are ${p50AndP99('direct')} with no proxy, ${p50AndP99('share-0')} with our mirror at share 0, ${p50AndP99('share-100')} with everything mirrored and compared, ${p50AndP99('hung')} with a candidate that hangs.`,
    `With one CPU saturated, our mirror forwards ${rate('share-0')} requests/s at share 0, ${rate('share-10')} at 10 %, ${rate('share-100')} at 100 % (${percent(mirrored / seen)} of the exchanges delivered) and ${rate('hung')} with a candidate that hangs.`,
  ]
  if (stage.nginxVersion !== undefined) {
    const nginxHung = fixedRateOf(main, 'nginx-mirror-hung')
    sentences.push(
      `nginx forwards ${rate('nginx')} requests/s, and ${rate('nginx-mirror')} with \`mirror\`. It needs ${figure(cpu('nginx'))} and ${figure(cpu('nginx-mirror'))} µs of CPU a request; our mirror needs ${figure(cpu('share-0'))} (${ratio(cpu('share-0'), cpu('nginx'))}) and ${figure(cpu('share-100'))} (${ratio(cpu('share-100'), cpu('nginx-mirror'))}).`,
      `When nginx's candidate hangs, ${percent(nginxHung.unanswered / nginxHung.requests)} of its clients' requests at ${requestsPerSecond}/s are still unanswered at the end of their round, and ${rate('nginx-mirror-hung')} requests/s get through at saturation.`,
    )
  }
  const unlimited = main.sides.filter((name) => (saturatedOf(main, name).busy ?? 1) < limitedShare)
  if (unlimited.length > 0 && preliminarySentence(othersShare) === undefined) {
    const names = unlimited.map((name) => labels[name]).join('; ')
    sentences.push(`At saturation the proxy was not the limit, and could forward more, in: ${names}.`)
  }
  return sentences.map((sentence) => `- ${sentence}`).join('\n')
}

import sharp from 'sharp'
import type { EpochMs } from '../../vocabulary/units.ts'
import { Chance } from './chance.ts'
import { answered, askedWithPicture, notAnswered, queued, round, type Traffic, took } from './traffic.ts'

export const doorwayValidations = [
  {
    name: 'doorway-detector',
    output: { kind: 'detection', boxes: '/boxes', iouMin: 0.5 },
    window: { duration: '2d', samplesMin: 400, coverageMin: 0.95 },
    gate: [
      { metric: 'latency.candidate.p99', max: 120 },
      { metric: 'recall', min: 0.95 },
      { metric: 'precision', min: 0.9 },
      { metric: 'meanIou', min: 0.8 },
    ],
  },
]

const [width, height] = [480, 300]
type Box = [x1: number, y1: number, x2: number, y2: number]
interface Thing {
  label: 'person' | 'parcel' | 'dog'
  box: Box
}
interface Scene {
  things: Thing[]
  picture: Buffer
}

/** A camera above doors: the candidate misses small objects. */
export async function doorwayTraffic(from: EpochMs, to: EpochMs): Promise<Traffic[]> {
  const chance = new Chance(7)
  const scenes = await Promise.all(Array.from({ length: 24 }, () => drawScene(chance)))
  return [
    {
      validation: 'doorway-detector',
      perHour: 57,
      from,
      to,
      exchange(moment) {
        const { i, chance } = moment
        const { things, picture } = scenes[i % scenes.length]!
        const seen = (blur: number, misses: (box: Box) => number) =>
          things
            .filter(({ box }) => !chance.is(misses(box)))
            .map(({ label, box }) => ({
              label,
              score: round(0.99 - 0.2 * chance.uniform() ** 2, 3),
              box: box.map((edge) => Math.max(0, Math.round(edge + blur * chance.normal()))),
            }))
        return {
          correlationId: `frame-${i}`,
          request: askedWithPicture('/detect', picture, 'image/jpeg'),
          primary: answered({ body: { boxes: seen(1.2, () => 0.002) }, totalMs: took(moment, 160), version: 'yolo-x' }),
          candidate: chance.is(0.004)
            ? notAnswered('timedOut', 1000, 'nano-1')
            : answered({
                body: { boxes: seen(3, (box) => (areaOf(box) < 2600 ? 0.34 : 0.02)) },
                totalMs: took(moment, 48),
                queuedMs: queued(moment),
                version: 'nano-1',
                digest: 'sha256:77e20c19aa',
              }),
        }
      },
    },
  ]
}

const areaOf = ([x1, y1, x2, y2]: Box) => (x2 - x1) * (y2 - y1)

async function drawScene(chance: Chance): Promise<Scene> {
  const things: Thing[] = []
  const place = (label: Thing['label'], w: number, h: number) => {
    const x = Math.round(20 + chance.uniform() * (width - w - 40))
    const floor = Math.round(height * 0.78 + chance.uniform() * height * 0.18)
    things.push({ label, box: [x, floor - h, x + w, floor] })
  }
  for (let n = 2 + Math.floor(3 * chance.uniform()); n > 0; n--) {
    const tall = 90 + Math.round(60 * chance.uniform())
    place('person', Math.round(tall * 0.38), tall)
  }
  for (let n = Math.floor(3 * chance.uniform()); n > 0; n--) place('parcel', 34 + Math.round(24 * chance.uniform()), 30)
  if (chance.is(0.4)) place('dog', 62, 40)
  const hue = Math.round(360 * chance.uniform())
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <rect width="${width}" height="${height}" fill="hsl(${hue} 14% 72%)"/>
    <rect y="${height * 0.7}" width="${width}" height="${height * 0.3}" fill="hsl(${hue} 10% 45%)"/>
    <rect x="180" y="40" width="120" height="170" fill="hsl(${(hue + 30) % 360} 30% 34%)"/>
    <rect x="190" y="50" width="46" height="150" fill="hsl(${(hue + 30) % 360} 28% 40%)"/>
    <circle cx="288" cy="128" r="5" fill="#d8c27a"/>
    <rect x="40" y="60" width="90" height="70" fill="hsl(205 45% 80%)" stroke="#fff" stroke-width="6"/>
    <rect x="350" y="60" width="90" height="70" fill="hsl(205 45% 80%)" stroke="#fff" stroke-width="6"/>
    ${things.map((thing) => drawn(thing, chance)).join('')}
  </svg>`
  return { things, picture: await sharp(Buffer.from(svg)).jpeg({ quality: 72 }).toBuffer() }
}

function drawn({ label, box: [x1, y1, x2, y2] }: Thing, chance: Chance): string {
  const [w, h] = [x2 - x1, y2 - y1]
  const coat = `hsl(${Math.round(360 * chance.uniform())} 42% 38%)`
  switch (label) {
    case 'person':
      return `<circle cx="${x1 + w / 2}" cy="${y1 + h * 0.12}" r="${h * 0.12}" fill="#c99b77"/>
        <rect x="${x1}" y="${y1 + h * 0.25}" width="${w}" height="${h * 0.45}" rx="${w * 0.3}" fill="${coat}"/>
        <rect x="${x1 + w * 0.12}" y="${y1 + h * 0.62}" width="${w * 0.32}" height="${h * 0.38}" rx="4" fill="#2c3340"/>
        <rect x="${x1 + w * 0.56}" y="${y1 + h * 0.62}" width="${w * 0.32}" height="${h * 0.38}" rx="4" fill="#2c3340"/>`
    case 'parcel':
      return `<rect x="${x1}" y="${y1}" width="${w}" height="${h}" fill="#b98d5a"/>
        <rect x="${x1 + w * 0.42}" y="${y1}" width="${w * 0.16}" height="${h}" fill="#e0c79c"/>`
    case 'dog':
      return `<rect x="${x1}" y="${y1 + h * 0.3}" width="${w * 0.75}" height="${h * 0.4}" rx="9" fill="#6b4a2f"/>
        <circle cx="${x2 - w * 0.16}" cy="${y1 + h * 0.22}" r="${h * 0.22}" fill="#6b4a2f"/>
        <rect x="${x1 + 5}" y="${y1 + h * 0.6}" width="6" height="${h * 0.4}" fill="#533822"/>
        <rect x="${x1 + w * 0.6}" y="${y1 + h * 0.6}" width="6" height="${h * 0.4}" fill="#533822"/>`
  }
}

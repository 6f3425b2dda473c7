import { element, styledCopy } from './standalone-svg.ts'

const padPx = 16
const headPx = 40
/** Controls and hidden texts, which the picture leaves out. */
const left = '.visually-hidden, .figure-title, .figure-foot, .downloads, .anchor, button, select, details'

interface Place {
  x: number
  y: number
}

/**
 * Turns a figure that is a table with bars into a standalone picture: its boxes, lines, words and small drawings, as
 * they currently appear on the page.
 */
export function pictureOf(figure: HTMLElement, title: string): SVGSVGElement {
  const box = figure.getBoundingClientRect()
  const style = getComputedStyle(figure)
  const { width, height } = { width: box.width + 2 * padPx, height: box.height + headPx + padPx }
  const ground = isClear(style.backgroundColor)
    ? getComputedStyle(document.documentElement).backgroundColor
    : style.backgroundColor
  const head = { 'font-family': style.fontFamily, 'font-size': 13, 'font-weight': 600, fill: style.color }
  const whole = element('svg', { viewBox: `0 0 ${width} ${height}`, width, height })
  whole.append(
    element('rect', { width, height, fill: ground }),
    element('text', { ...head, x: padPx, y: 24 }, title),
    ...[...figure.childNodes].flatMap((node) => drawn(node, { x: box.x - padPx, y: box.y - headPx })),
  )
  return whole as SVGSVGElement
}

function drawn(node: Node, from: Place): Element[] {
  if (node instanceof Text) return wordsOf(node, from)
  if (!(node instanceof Element) || node.matches(left)) return []
  const style = getComputedStyle(node)
  if (style.display === 'none' || style.visibility === 'hidden') return []
  const { x, y, width, height } = node.getBoundingClientRect()
  const at = { x: x - from.x, y: y - from.y, width, height }
  if (node instanceof SVGSVGElement) {
    const copy = styledCopy(node)
    for (const [name, value] of Object.entries(at)) copy.setAttribute(name, String(value))
    return [copy]
  }
  const inside = [
    ...boxOf(at, style),
    ...beforeOf(node, at),
    ...[...node.childNodes].flatMap((child) => drawn(child, from)),
  ]
  if (style.opacity === '1' || inside.length === 0) return inside
  const faint = element('g', { opacity: style.opacity })
  faint.append(...inside)
  return [faint]
}

type Box = Place & { width: number; height: number }

/** The background and borders. */
function boxOf({ x, y, width, height }: Box, style: CSSStyleDeclaration): Element[] {
  if (width === 0 || height === 0) return []
  const rect = { x, y, width, height, rx: Number.parseFloat(style.borderTopLeftRadius) || 0 }
  const ends = {
    Top: [x, y, x + width, y],
    Right: [x + width, y, x + width, y + height],
    Bottom: [x, y + height, x + width, y + height],
    Left: [x, y, x, y + height],
  } as const
  return [
    ...(isClear(style.backgroundColor) ? [] : [element('rect', { ...rect, fill: style.backgroundColor })]),
    // hatching
    ...(style.backgroundImage === 'none' ? [] : [element('rect', { ...rect, fill: style.color, opacity: 0.3 })]),
    ...Object.entries(ends).flatMap(([side, [x1, y1, x2, y2]]) =>
      lineOf({ x1, y1, x2, y2 }, (name) => style.getPropertyValue(`border-${side.toLowerCase()}-${name}`)),
    ),
  ]
}

function lineOf(ends: Record<string, number>, of: (name: string) => string): Element[] {
  const width = Number.parseFloat(of('width'))
  if (!width || of('style') === 'none' || isClear(of('color'))) return []
  const dashes = { dashed: '6 3', dotted: '2 3' }[of('style')]
  const stroke = { stroke: of('color'), 'stroke-width': width }
  return [element('line', { ...ends, ...stroke, ...(dashes && { 'stroke-dasharray': dashes }) })]
}

/** Content that the stylesheet adds before an element: a leg's sign, or a column name in a stacked table. */
function beforeOf(node: Element, { x, y, width, height }: Box): Element[] {
  const style = getComputedStyle(node, '::before')
  if (style.content === 'none' || style.content === 'normal' || width === 0) return []
  const start = x + Number.parseFloat(getComputedStyle(node).paddingLeft)
  const words = style.content.replace(/^"|"$/g, '')
  const size = Number.parseFloat(style.fontSize)
  if (words !== '') return [element('text', { ...faceOf(style), x: start, y: y + height / 2 + size / 3 }, words)]
  const sign = { x: start, width: Number.parseFloat(style.width) || 0, height: Number.parseFloat(style.height) || 0 }
  const middle = y + height / 2
  return [
    ...boxOf({ ...sign, y: middle - sign.height / 2 }, style),
    ...(sign.height > 0
      ? []
      : lineOf({ x1: start, x2: start + sign.width, y1: middle, y2: middle }, (name) =>
          style.getPropertyValue(`border-top-${name}`),
        )),
  ]
}

const ruler = document.createElement('canvas').getContext('2d')!

/** Places each word where it stands on the page, which decides the line breaks. */
function wordsOf(text: Text, from: Place): Element[] {
  const words = [...text.data.matchAll(/\S+/g)]
  if (words.length === 0 || text.parentElement === null) return []
  const style = getComputedStyle(text.parentElement)
  ruler.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`
  const { fontBoundingBoxAscent: ascent, fontBoundingBoxDescent: descent } = ruler.measureText('x')
  const range = document.createRange()
  return words.flatMap(({ 0: word, index }) => {
    range.setStart(text, index)
    range.setEnd(text, index + word.length)
    const { x, y, width, height } = range.getBoundingClientRect()
    if (width === 0) return []
    const baseline = y + (height * ascent) / (ascent + descent)
    return [element('text', { ...faceOf(style), x: x - from.x, y: baseline - from.y }, word)]
  })
}

function faceOf({ fontFamily, fontSize, fontWeight, color }: CSSStyleDeclaration) {
  return { 'font-family': fontFamily, 'font-size': fontSize, 'font-weight': fontWeight, fill: color }
}

function isClear(color: string): boolean {
  return color === 'transparent' || /^rgba\(.*, 0\)$|\/ 0\)$/.test(color)
}

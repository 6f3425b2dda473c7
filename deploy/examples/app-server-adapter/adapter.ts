/**
 * Speaks the API of an app server written with FastAPI, so that neither clients nor the output mapping notice a
 * difference between it and the candidate:
 *
 *     class Images(BaseModel):
 *         images: list[str]                                   # base64 of PNG or JPEG files
 *
 *     @app.post("/predict")
 *     def predict(request: Images) -> dict:
 *         batch = np.stack([prepare(image) for image in request.images])
 *         probabilities = softmax(model(batch))
 *         return {"predictions": [{"class": …, "confidence": …, "probabilities": […]} for …]}
 *
 * What differs from one app server to the next: `prepare`, the two names `images` and `predictions`, and the errors.
 */
import sharp from 'sharp'
import type { AdapterModel, AdapterModule, AdapterRequest } from '../../../candidate-server/adapter/adapter.ts'

const imagesMax = 32
const pixelsMax = 20_000_000

/** One input row per image, prepared as in the app server: grey, 8 × 8, from 0 to 1. */
export const toTensors: AdapterModule['toTensors'] = async (request, model) => {
  const files = filesIn(request)
  const [input] = model.inputs
  const [, channels, height, width] = input!.shape as [number, number, number, number]
  const images = await Promise.all(files.map((file, i) => prepare(file, i, height, width)))
  return {
    [input!.name]: { shape: [images.length, channels, height, width], data: Float32Array.from(images.flat()) },
  }
}

/** The app server's own answer: for each image its class, the model's confidence, and all probabilities. */
export const toResponse: AdapterModule['toResponse'] = (outputs, model) => {
  const { shape, data } = outputs[model.outputs[0]!.name]!
  const [rows, classes] = shape as [number, number]
  const scores = Array.from(data as Float32Array)
  return {
    model: `${model.name}:${model.version}`,
    predictions: Array.from({ length: rows }, (_, row) =>
      describe(scores.slice(row * classes, (row + 1) * classes), model),
    ),
  }
}

async function prepare(file: Buffer, i: number, height: number, width: number): Promise<number[]> {
  try {
    const pixels = await sharp(file, { limitInputPixels: pixelsMax })
      .resize({ width, height, fit: 'fill', kernel: 'linear' })
      .removeAlpha()
      .grayscale()
      .raw()
      .toBuffer()
    return Array.from(pixels, (byte) => byte / 255)
  } catch {
    throw unprocessable(['body', 'images', i], 'Input should be the base64 of a PNG or JPEG file', 'value_error')
  }
}

function describe(probabilities: number[], { labels }: AdapterModel) {
  const confidence = Math.max(...probabilities)
  const best = probabilities.indexOf(confidence)
  return { class: labels?.[best] ?? String(best), confidence, probabilities }
}

function filesIn(request: AdapterRequest): Buffer[] {
  const { images } = (request.json() ?? {}) as { images?: unknown }
  if (images === undefined) throw unprocessable(['body', 'images'], 'Field required', 'missing')
  if (!Array.isArray(images) || !images.every((image) => typeof image === 'string')) {
    throw unprocessable(['body', 'images'], 'Input should be a valid list of strings', 'list_type')
  }
  if (images.length === 0 || images.length > imagesMax) {
    throw unprocessable(
      ['body', 'images'],
      `List should have 1 to ${imagesMax} items, not ${images.length}`,
      'too_long',
    )
  }
  return images.map((image) => Buffer.from(image, 'base64'))
}

/** FastAPI's 422. `status` makes it the client's error, and `body` is the whole answer on the model's own paths. */
const unprocessable = (loc: (string | number)[], msg: string, type: string) =>
  Object.assign(new Error(`${loc.join('.')}: ${msg}`), { status: 422, body: { detail: [{ type, loc, msg }] } })

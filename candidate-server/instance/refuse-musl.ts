/** What Node reports about its C library. */
interface ReportHeader {
  glibcVersionRuntime?: string
}

/**
 * Throws on Alpine and similar: ONNX Runtime's binding is built for glibc, and its own error would only name a missing
 * symbol.
 */
export function refuseMusl(platform: NodeJS.Platform = process.platform, header: ReportHeader = reportHeader()): void {
  if (platform !== 'linux' || header.glibcVersionRuntime !== undefined) return
  throw new Error(
    'this system has musl instead of glibc, for which there is no ONNX Runtime; run the candidate server on a glibc image such as node:26-bookworm-slim',
  )
}

function reportHeader(): ReportHeader {
  // looking up network interface names takes seconds on some machines
  Object.assign(process.report, { excludeNetwork: true })
  return (process.report.getReport() as { header: ReportHeader }).header
}

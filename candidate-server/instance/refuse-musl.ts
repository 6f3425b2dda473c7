/** What Node tells of the C library that it runs on. */
interface ReportHeader {
  glibcVersionRuntime?: string
}

/** Throws on Alpine and its like: ONNX Runtime's binding is built for glibc and would only say that a symbol is missing. */
export function refuseMusl(platform: NodeJS.Platform = process.platform, header: ReportHeader = reportHeader()): void {
  if (platform !== 'linux' || header.glibcVersionRuntime !== undefined) return
  throw new Error(
    'this system has musl instead of glibc, for which there is no ONNX Runtime; run the candidate server on a glibc image such as node:26-bookworm-slim',
  )
}

function reportHeader(): ReportHeader {
  // looking up the names of network interfaces takes seconds on some machines
  Object.assign(process.report, { excludeNetwork: true })
  return (process.report.getReport() as { header: ReportHeader }).header
}

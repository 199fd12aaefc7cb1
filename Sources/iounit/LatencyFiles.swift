import AudioMeasurement

/// The files that a latency's report is written to. That each of them can be written is known from the beginning.
struct LatencyFiles {
    private let page: OutputFile?
    private let percentiles: OutputFile?
    private let rows: OutputFile?
    private let cases: OutputFile?

    init(_ options: OutputOptions) throws(Failure) {
        page = try options.open("html")
        percentiles = try options.open("hgrm")
        rows = try options.open("csv")
        cases = try options.open("junit")
    }

    func write(_ report: LatencyReport, _ session: LatencySession) throws(Failure) {
        let readings = LatencyRows(session.readings, sampleRate: report.server.sampleRate)
        try page?.write(LatencyPage(report, correlation: session.correlation).text)
        try percentiles?.write(PercentileFile(readings.histogram).text)
        try rows?.write(readings.text)
        try cases?.write(JUnitFile(report.head).text)
    }
}

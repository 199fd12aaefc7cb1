import AudioMeasurement
import AudioReports
import CommandSyntax
import Threads

/// The files that a latency's report is written to. That each of them can be written is known from the beginning.
struct LatencyFiles {
    private let page: OutputFile?
    private let percentiles: OutputFile?
    private let rows: OutputFile?
    private let cases: OutputFile?

    init(_ options: OutputOptions) throws(FileError) {
        page = try options.open("html")
        percentiles = try options.open("hgrm")
        rows = try options.open("csv")
        cases = try options.open("junit")
    }

    func write(_ report: LatencyReport, _ session: LatencySession) throws(FileError) {
        let readings = LatencyRows(session.readings, sampleRate: report.server.sampleRate)
        let json = try? encodeJSON(report)
        try page?.finish(with: LatencyPage(report, correlation: session.correlation, json: json).text)
        try percentiles?.finish(with: PercentileFile(readings.histogram).text)
        try rows?.finish(with: readings.text)
        try cases?.finish(with: JUnitFile(report.head).text)
    }
}

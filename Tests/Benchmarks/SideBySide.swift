import AudioFigures
import AudioIO
import AudioMeasurement
import AudioRealtime
import Foundation
import Jack

/// The unit and the least possible client in C, in the same graph at the same time.
struct SideBySide {
    /// When a callback of the client began, had its buffers from JACK, and ended, on the monotonic clock.
    struct Stamp {
        var entryNanoseconds: UInt64
        var buffersNanoseconds: UInt64
        var exitNanoseconds: UInt64
    }

    /// Of the time that both were there, but for its first quarter of a second.
    let unit: [CycleRecord]
    let client: [Stamp]
    private let server: ServerConfiguration

    private static let settling: UInt64 = 250_000_000

    /// - Parameters:
    ///   - unitIsFirst: whether the unit is started before the client.
    ///   - cycles: how many the client takes part in. The unit remembers its last 8192.
    init(on server: Server, unitIsFirst: Bool, cycles: Int, _ workshop: Workshop) throws {
        var configuration = UnitConfiguration()
        configuration.clientName = "unit"
        configuration.shape = .cubic
        configuration.serverName = server.name
        let unit = try IOUnit(configuration)
        if unitIsFirst { try unit.start() }
        let peer = try Peer(
            workshop.twins.appendingPathComponent("client"), [server.name, "client", "\(cycles)"], reading: .output)
        _ = try peer.line(after: "ready")
        if !unitIsFirst { try unit.start() }
        let clientStamps = try peer.rest().map(Self.stamp)
        let records = unit.recentCycles
        unit.stop()
        guard let unitFirst = records.first, let unitLast = records.last, let first = clientStamps.first,
            let last = clientStamps.last
        else { throw Breakdown("the unit or the client was never called") }
        let begin = max(unitFirst.entryNanoseconds, first.entryNanoseconds) + Self.settling
        let common = begin...max(begin, min(unitLast.entryNanoseconds, last.entryNanoseconds))
        self.unit = records.filter { common.contains($0.entryNanoseconds) }
        client = clientStamps.filter { common.contains($0.entryNanoseconds) }
        self.server = server.configuration
    }

    private static func stamp(_ line: String) throws -> Stamp {
        let words = line.split(separator: " ").compactMap { UInt64($0) }
        guard words.count == 3 else { throw Breakdown("the client said \"\(line)\"") }
        return Stamp(entryNanoseconds: words[0], buffersNanoseconds: words[1], exitNanoseconds: words[2])
    }

    /// What a report would say of the unit's cycles.
    var report: ModeReport {
        var analysis = CallbackAnalysis(
            mode: .callback, name: "unit", sampleRate: server.sampleRate, periodFrames: server.periodFrames)
        analysis.add(unit)
        return analysis.report
    }

    /// |interval − period| of each pair of the client's cycles, in microseconds, by its own stamps alone.
    var clientDeviations: [Double] {
        let period = Double(server.periodFrames) / Double(server.sampleRate) * 1e9
        return zip(client.dropFirst(), client).map { next, stamp in
            abs(Double(next.entryNanoseconds - stamp.entryNanoseconds) - period) / 1000
        }
    }
}

extension [CycleRecord] {
    /// How long each callback took, in microseconds.
    var durations: [Double] { map { Double($0.exitNanoseconds - $0.entryNanoseconds) / 1000 } }
}

extension [SideBySide.Stamp] {
    /// How long each callback took, in microseconds.
    var durations: [Double] { map { Double($0.exitNanoseconds - $0.entryNanoseconds) / 1000 } }

    /// How long each waited for JACK to find its buffers, in microseconds.
    var searches: [Double] { map { Double($0.buffersNanoseconds - $0.entryNanoseconds) / 1000 } }
}

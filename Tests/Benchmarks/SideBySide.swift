import AudioIO
import Foundation
import Jack

/// The unit and the least possible client in C, in the same graph at the same time.
struct SideBySide {
    /// When a callback began and ended, on the monotonic clock.
    struct Stamp {
        var entryNanoseconds: UInt64
        /// When it had its buffers from JACK; only the client notes that.
        var buffersNanoseconds: UInt64?
        var exitNanoseconds: UInt64
    }

    /// Of the time that both were there, but for its first quarter of a second.
    let unit: [Stamp]
    let client: [Stamp]
    let periodNanoseconds: Double

    private static let settling: UInt64 = 250_000_000

    /// - Parameters:
    ///   - unitIsFirst: whether the unit is started before the client.
    ///   - cycles: how many the client takes part in. The unit remembers its last 8192.
    init(on server: Server, unitIsFirst: Bool, cycles: Int, _ workshop: Workshop) throws {
        var configuration = UnitConfiguration()
        configuration.clientName = "unit"
        configuration.serverName = server.name
        let unit = try IOUnit(configuration)
        if unitIsFirst { try unit.start() }
        let peer = try Peer(
            workshop.twins.appendingPathComponent("client"), [server.name, "client", "\(cycles)"], reading: .output)
        _ = try peer.line(after: "ready")
        if !unitIsFirst { try unit.start() }
        let clientStamps = try peer.rest().map(Self.stamp)
        let unitStamps = unit.recentCycles.map {
            Stamp(entryNanoseconds: $0.entryNanoseconds, exitNanoseconds: $0.exitNanoseconds)
        }
        unit.stop()
        guard let firsts = Self.both(unitStamps.first, clientStamps.first),
            let lasts = Self.both(unitStamps.last, clientStamps.last)
        else { throw Breakdown("the unit or the client was never called") }
        let begin = max(firsts.0, firsts.1) + Self.settling
        let end = min(lasts.0, lasts.1)
        func isCommon(_ stamp: Stamp) -> Bool { stamp.entryNanoseconds >= begin && stamp.entryNanoseconds <= end }
        self.unit = unitStamps.filter(isCommon)
        client = clientStamps.filter(isCommon)
        let server = server.configuration
        periodNanoseconds = Double(server.periodFrames) / Double(server.sampleRate) * 1e9
    }

    private static func both(_ first: Stamp?, _ second: Stamp?) -> (UInt64, UInt64)? {
        guard let first, let second else { return nil }
        return (first.entryNanoseconds, second.entryNanoseconds)
    }

    private static func stamp(_ line: String) throws -> Stamp {
        let words = line.split(separator: " ").compactMap { UInt64($0) }
        guard words.count == 3 else { throw Breakdown("the client said \"\(line)\"") }
        return Stamp(entryNanoseconds: words[0], buffersNanoseconds: words[1], exitNanoseconds: words[2])
    }

    /// |interval − period| of each pair of cycles, in microseconds.
    func deviations(_ stamps: [Stamp]) -> [Double] {
        zip(stamps.dropFirst(), stamps).map { next, stamp in
            abs(Double(next.entryNanoseconds - stamp.entryNanoseconds) - periodNanoseconds) / 1000
        }
    }
}

extension [SideBySide.Stamp] {
    /// How long each callback took, in microseconds.
    var durations: [Double] { map { Double($0.exitNanoseconds - $0.entryNanoseconds) / 1000 } }

    /// How long each waited for JACK to find its buffers, in microseconds, where that was noted.
    var searches: [Double] {
        compactMap { stamp in stamp.buffersNanoseconds.map { Double($0 - stamp.entryNanoseconds) / 1000 } }
    }
}

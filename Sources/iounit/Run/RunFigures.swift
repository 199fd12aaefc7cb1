import AudioFigures
import AudioFiles
import AudioReports

/// How the audio thread of a run was scheduled.
struct SchedulingReport: Encodable {
    var policy: Nullable<String>
    var priority: Nullable<Int>
    var memoryLocked: Bool

    init(_ run: EngineRun) {
        policy = Nullable(run.connection?.scheduling?.policy.rawValue)
        priority = Nullable(run.connection?.scheduling?.priority)
        memoryLocked = run.isMemoryLocked
    }

    /// Of a server and this, in words.
    func words(on server: ServerFacts) -> String {
        [
            server.backend.value, server.sync.value.map { $0 ? "sync" : "async" },
            policy.value.map { "\($0) \(priority.value ?? 0)" },
            memoryLocked ? "memory locked" : "memory not locked",
        ].compactMap { $0 }.joined(separator: ", ")
    }
}

/// The time of a run for which the server was away, or the run suspended, in words; `nil` for none.
///
/// - Parameters:
///   - absentNanoseconds: without a server or suspended.
///   - resets: how often the server went away and came back.
func absence(_ absentNanoseconds: UInt64, resets: Int, endedWithoutServer: Bool) -> String? {
    let seconds = fixed(Double(absentNanoseconds) / 1e9, 3)
    guard resets > 0 || endedWithoutServer else {
        return absentNanoseconds > 0 ? "  suspended for \(seconds) s" : nil
    }
    let returns = resets > 0 ? " and came back \(resets == 1 ? "once" : "\(resets) times")" : ""
    let loss = resets > 0 ? ", and the sound did not go on after the last time" : " for good"
    return "  the server went away\(returns)\(endedWithoutServer ? loss : ""): \(seconds) s without it"
}

/// How channels are mixed down.
struct MixReport: Encodable {
    var law: ChannelMatrix.Law
    /// For each output the factor of each channel.
    var weights: [[Double]]

    init(_ mix: ChannelMatrix) {
        law = mix.law
        weights = mix.weights
    }
}

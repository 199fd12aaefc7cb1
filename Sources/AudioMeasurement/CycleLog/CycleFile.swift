import AudioFigures
import Threads

/// A log of every cycle of a run, as comma-separated values.
///
///     # iounit.cycles/2
///     # server: {"name":"default", …}
///     # mode callback: kind=callback sampleRate=48000 periodFrames=64 startNanoseconds=0
///     mode,entry_ns,exit_ns,frame_time,frames,position,lost_records,sample_rate,rest_frames
///     callback,81234567890123,81234567891201,64000,64,64000,0,48000,0
///     # summary callback: {"xruns":0, …}
///
/// The first line names the format. Lines that begin with `#` are the run's facts; those of the modes are needed to
/// analyse the log again, the others are for people and for the next report: what its records do not tell, as xruns, stands
/// below the callbacks. There is a line for each callback, in order within its mode:
///
/// - `mode`: whose callback it was, by the name given above.
/// - `entry_ns`, `exit_ns`: when it began and ended, on the monotonic clock, in nanoseconds.
/// - `frame_time`: JACK's frame clock at its start; wraps at 2³².
/// - `frames`: how many it rendered.
/// - `position`: how many the mode had rendered before.
/// - `lost_records`: how many callbacks the mode knows nothing of because a ring was full; cumulative.
/// - `sample_rate`: the server's, in hertz; 0 where it was not noted. Older logs have no such column: all of their callbacks
///   are of the mode's rate.
/// - `rest_frames`: of a queue, how many frames of the cycle that filled the buffer were left over; 0 in callback mode. From it
///   follows which part of a deviation is arithmetic. Older logs have no such column, and no summary.
public enum CycleFile {
    static let format = "# iounit.cycles/2"
    static let olderFormat = "# iounit.cycles/1"
    static let columns = columnsWithoutRest + ",rest_frames"
    static let columnsWithoutRest = columnsWithoutRate + ",sample_rate"
    static let columnsWithoutRate = "mode,entry_ns,exit_ns,frame_time,frames,position,lost_records"
    /// In hertz; 0 is none.
    static let sampleRates: ClosedRange<UInt64> = 0...10_000_000

    /// A mode that a log has the callbacks of.
    public struct Mode: Sendable, Equatable {
        /// Callback or queue.
        public var kind: ModeReport.Mode
        /// What each line names it. What would be taken for something else in a line is written as `_`.
        public var name: String
        /// In hertz, at the beginning.
        public var sampleRate: Int
        /// JACK's, at the beginning.
        public var periodFrames: Int
        /// Of a queue.
        public var bufferFrames: Int?
        /// On the monotonic clock; what began before was the warm-up's.
        public var startNanoseconds: UInt64

        /// - Parameter startNanoseconds: on the monotonic clock; what began before was the warm-up's.
        public init(
            kind: ModeReport.Mode, name: String, sampleRate: Int, periodFrames: Int, bufferFrames: Int? = nil,
            startNanoseconds: UInt64 = 0
        ) {
            self.kind = kind
            self.name = String(String.UnicodeScalarView(name.unicodeScalars.map { Self.isPlain($0) ? $0 : "_" }))
            self.sampleRate = sampleRate
            self.periodFrames = periodFrames
            self.bufferFrames = bufferFrames
            self.startNanoseconds = startNanoseconds
        }

        /// ASCII alone: other characters may join their neighbours, so that a line's own are no longer found.
        private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
            32..<127 ~= scalar.value && !",:#\"".unicodeScalars.contains(scalar)
        }

        var line: String {
            let words = [
                "kind=\(kind.rawValue)", "sampleRate=\(sampleRate)", "periodFrames=\(periodFrames)",
                bufferFrames.map { "bufferFrames=\($0)" }, "startNanoseconds=\(startNanoseconds)",
            ]
            return "# mode \(name): " + words.compactMap(\.self).joined(separator: " ")
        }

        /// Reads back what `line` has written; `nil` where it says something else.
        init?(line: Substring) {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let name = line[..<colon].dropFirst("# mode ".count)
            var values: [Substring: Substring] = [:]
            for word in line[colon...].dropFirst().split(separator: " ") {
                let pair = word.split(separator: "=", maxSplits: 1)
                guard pair.count == 2 else { return nil }
                values[pair[0]] = pair[1]
            }
            guard let kind = values["kind"].flatMap({ ModeReport.Mode(rawValue: String($0)) }), !name.isEmpty,
                let sampleRate = values["sampleRate"].flatMap({ UInt64($0) }), CycleFile.sampleRates ~= sampleRate,
                sampleRate > 0,
                let periodFrames = values["periodFrames"].flatMap({ Int($0) }), 0...1_000_000_000 ~= periodFrames
            else { return nil }
            let bufferFrames = values["bufferFrames"].flatMap { Int($0) }
            guard values["bufferFrames"] == nil || 1...1_000_000_000 ~= bufferFrames ?? 0,
                let start = values["startNanoseconds"].map({ UInt64($0) }) ?? 0
            else { return nil }
            self.init(
                kind: kind, name: String(name), sampleRate: Int(sampleRate), periodFrames: periodFrames,
                bufferFrames: bufferFrames, startNanoseconds: start)
        }
    }

    /// A log, analysed again.
    public struct Contents: Sendable {
        /// One for each mode, in the order in which the log names them.
        public var analyses: [CallbackAnalysis] = []
        /// What the log says of its run beside the callbacks, by its name.
        public var facts: [String: String] = [:]
        /// Whether its records tell `CycleRecord.restFrames`, as those of each log of today.
        package var knowsRest = false
        /// As of `CycleReader`.
        public var cutLine: Int?
    }

    /// Reads a log and analyses it again. Of a named pipe it waits for a writer, and for the end of what that writes. Thread: any that may
    /// block.
    ///
    /// - Parameter maximumCycles: of each mode; the rest is left out.
    /// - Throws: `cannotRead`, `readFailed`, `malformed`.
    public static func contents(of path: String, maximumCycles: UInt64 = .max) throws(FileError) -> Contents {
        try contents(of: try CycleReader(path), maximumCycles: maximumCycles, keepsSamples: false)
    }

    /// - Parameter keepsSamples: whether the analyses keep what each callback tells.
    package static func contents(
        of log: consuming CycleReader, maximumCycles: UInt64 = .max, keepsSamples: Bool
    ) throws(FileError) -> Contents {
        var contents = Contents()
        var reader = log
        var batch: CycleReader.Batch?
        repeat {
            batch = try reader.next()
            // At the end too: a mode may be named after the last callback.
            while contents.analyses.count < reader.modes.count {
                var analysis = CallbackAnalysis(
                    reader.modes[contents.analyses.count], maximumCycles: maximumCycles, knowsRest: reader.haveRest)
                if keepsSamples { analysis.keepSamples() }
                contents.analyses.append(analysis)
            }
            if let batch { contents.analyses[batch.mode].add(batch.records) }
        } while batch != nil
        contents.facts = reader.facts
        contents.knowsRest = reader.haveRest
        contents.cutLine = reader.cutLine
        return contents
    }
}

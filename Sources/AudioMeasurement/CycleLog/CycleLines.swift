import AudioRealtime

/// Reads the lines of one mode of a log of cycles, byte by byte: a log has millions.
struct CycleLines {
    /// The mode's name and a comma.
    let beginning: [UInt8]
    /// Whether the lines have the columns `sample_rate` and `rest_frames`.
    let haveRate: Bool
    let haveRest: Bool

    /// Whether the line at `position` is of the mode.
    @inline(__always)
    func isNext(in bytes: Span<UInt8>, at position: Int) -> Bool {
        guard bytes.count - position > beginning.count else { return false }
        for index in beginning.indices where bytes[position + index] != beginning[index] { return false }
        return true
    }

    /// Reads a line that `isNext`, and moves on to the one after it. The bytes must end with a line's end.
    ///
    /// - Returns: the column that could not be read; `nil` where all could.
    @inline(__always)
    func read(_ record: inout CycleRecord, from bytes: Span<UInt8>, at position: inout Int) -> String? {
        position += beginning.count
        let comma = UInt8(ascii: ",")
        guard let entry = Self.number(bytes, &position, endedBy: comma) else { return "entry_ns" }
        guard let exit = Self.number(bytes, &position, endedBy: comma) else { return "exit_ns" }
        guard let time = Self.number(bytes, &position, endedBy: comma), time <= UInt32.max else { return "frame_time" }
        guard let frames = Self.number(bytes, &position, endedBy: comma), frames <= UInt32.max else { return "frames" }
        guard let rendered = Self.number(bytes, &position, endedBy: comma) else { return "position" }
        let end = UInt8(ascii: "\n")
        guard let lost = Self.number(bytes, &position, endedBy: haveRate ? comma : end) else { return "lost_records" }
        var rate: UInt64 = 0
        if haveRate {
            guard let told = Self.number(bytes, &position, endedBy: haveRest ? comma : end),
                CycleFile.sampleRates ~= told
            else { return "sample_rate" }
            rate = told
        }
        var rest: UInt64 = 0
        if haveRest {
            guard let told = Self.number(bytes, &position, endedBy: end), told <= UInt32.max else {
                return "rest_frames"
            }
            rest = told
        }
        record.entryNanoseconds = entry
        record.exitNanoseconds = exit
        record.frameTime = UInt32(truncatingIfNeeded: time)
        record.frames = UInt32(truncatingIfNeeded: frames)
        record.position = rendered
        record.lostRecords = lost
        record.sampleRate = UInt32(rate)
        record.restFrames = UInt32(rest)
        return nil
    }

    /// A whole number, and the byte that must follow it.
    @inline(__always)
    private static func number(_ bytes: Span<UInt8>, _ position: inout Int, endedBy end: UInt8) -> UInt64? {
        let first = position
        var value: UInt64 = 0
        var digit = bytes[position] &- UInt8(ascii: "0")
        while digit < 10 {
            value = value &* 10 &+ UInt64(digit)
            position += 1
            digit = bytes[position] &- UInt8(ascii: "0")
        }
        guard position > first else { return nil }
        // 19 digits always fit.
        if position - first > 19 {
            let text = String(decoding: (first..<position).map { bytes[$0] }, as: UTF8.self)
            guard let exact = UInt64(text) else { return nil }
            value = exact
        }
        if bytes[position] == UInt8(ascii: "\r") && end == UInt8(ascii: "\n") { position += 1 }
        guard bytes[position] == end else { return nil }
        position += 1
        return value
    }
}

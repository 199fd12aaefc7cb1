/// The JSON of a mode. Every key is there in every report: what was not measured is `null`.
///
/// A key is the figure's name, as tables and limits have it, with its unit behind it: `lost-records`, `lostNanoseconds`.
extension ModeReport: Encodable {
    private enum Key: String, CodingKey {
        case mode, name, periodFrames, sampleRate, bufferFrames, bufferCount, format, nominalNanoseconds, parts,
            omittedParts, callbacks
        case interval, deviation, signedDeviation, arithmeticDeviation, timingDeviation, callbackTime, load, overruns
        case lostNanoseconds, gapFrames, longIntervals, xruns, xrunDelayNanoseconds, blame
        case latencyFrames, latencyErrorFrames, latencySampleRate, declaredLatencyFrames
        case droppedFrames, insertedFrames, lostRecords, cpuNanosecondsPerCallback, contextSwitchesPerSecond
    }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        try fields.encode(mode, forKey: .mode)
        try fields.encode(name, forKey: .name)
        try fields.encode(periodFrames, forKey: .periodFrames)
        try fields.encode(sampleRate, forKey: .sampleRate)
        try fields.encode(bufferFrames, forKey: .bufferFrames)
        try fields.encode(bufferCount, forKey: .bufferCount)
        try fields.encode(format, forKey: .format)
        try fields.encode(nominalNanoseconds, forKey: .nominalNanoseconds)
        try fields.encode(parts, forKey: .parts)
        try fields.encode(omittedParts, forKey: .omittedParts)
        try fields.encode(cycles, forKey: .callbacks)
        try fields.encode(interval, forKey: .interval)
        try fields.encode(deviation, forKey: .deviation)
        try fields.encode(signedDeviation, forKey: .signedDeviation)
        try fields.encode(arithmeticDeviation, forKey: .arithmeticDeviation)
        try fields.encode(timingDeviation, forKey: .timingDeviation)
        try fields.encode(callbackTime, forKey: .callbackTime)
        try fields.encode(load, forKey: .load)
        try fields.encode(overruns, forKey: .overruns)
        try encodeLosses(in: &fields)
        try fields.encode(latencyFrames, forKey: .latencyFrames)
        try fields.encode(latencyErrorFrames, forKey: .latencyErrorFrames)
        try fields.encode(latencySampleRate, forKey: .latencySampleRate)
        try fields.encode(declaredLatencyFrames, forKey: .declaredLatencyFrames)
        try fields.encode(cpuNanosecondsPerCallback, forKey: .cpuNanosecondsPerCallback)
        try fields.encode(contextSwitchesPerSecond, forKey: .contextSwitchesPerSecond)
    }

    /// An optional that is encoded as such, and not "if present", is `null` where there is nothing.
    private func encodeLosses(in fields: inout KeyedEncodingContainer<Key>) throws {
        try fields.encode(lost.nanoseconds, forKey: .lostNanoseconds)
        try fields.encode(lost.gapFrames, forKey: .gapFrames)
        try fields.encode(lost.longIntervals, forKey: .longIntervals)
        try fields.encode(lost.xruns, forKey: .xruns)
        try fields.encode(lost.xrunDelayNanoseconds, forKey: .xrunDelayNanoseconds)
        try fields.encode(blame, forKey: .blame)
        try fields.encode(droppedFrames, forKey: .droppedFrames)
        try fields.encode(insertedFrames, forKey: .insertedFrames)
        try fields.encode(lostRecords, forKey: .lostRecords)
    }
}

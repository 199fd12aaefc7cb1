import AudioIO

extension Engine {
    /// Records what a node renders, from the next block on, until `Recorder.finish` or the engine's `close`, in whatever order
    /// they are called. Thread: control, while sound runs too.
    ///
    /// - Parameters:
    ///   - sampleRate: of the file, in hertz, whatever the server has and changes to; what comes is converted. `nil` for the
    ///     server's, also where that is not known yet.
    ///   - path, force, gapFill, onRateChange: see `Recorder.init`.
    /// - Returns: what tells of the recording and ends it. The engine keeps it as well.
    /// - Throws: `SoundFileError` where the file cannot be created; `notAttached`; `resources` where the machine has no more
    ///   threads to give.
    @discardableResult
    public func record(
        _ node: some Node, to path: String, sampleRate fixedRate: Int? = nil, force: Bool = false,
        gapFill: GapFill = .silence, onRateChange: RateChange = .split
    ) throws -> Recorder {
        try record(
            node, to: RecordingName(path),
            RecordingSettings(sampleRate: fixedRate, force: force, gapFill: gapFill, onRateChange: onRateChange))
    }

    /// Records what a node renders, from when on and into which files the settings say.
    ///
    /// - Parameters:
    ///   - name: of the files.
    ///   - settings: what the files are, and when they begin and end.
    /// - Returns: as above.
    /// - Throws: as above.
    @discardableResult
    public func record(
        _ node: some Node, to name: RecordingName, _ settings: RecordingSettings
    ) throws -> Recorder {
        guard let channels = node.channels, node.isAttached else { throw NodeError.notAttached(node.core.kind) }
        let recorder = try Recorder(name, sampleRate: sampleRate, channels: channels, settings)
        do {
            // Four seconds may wait for a slow disk, or as much of them as fits in 64 MiB.
            try recorder.start(node, of: self, capacityFrames: min(4 * sampleRate, (64 << 20) / (4 * channels)))
        } catch {
            recorder.abandon()
            throw error
        }
        return recorder
    }
}

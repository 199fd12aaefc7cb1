import Glibc

// Whether there can be such a file.
extension SoundFileWriter {
    /// Whether there is a named pipe, also through links: a shell names one by such, as /dev/fd/63. What it has had cannot be taken
    /// back, not even that its writer went away.
    package static func isPipe(_ path: String) -> Bool {
        var facts = stat()
        return unsafe stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFIFO
    }

    /// Whether a kind of file takes such sound, and can go through a pipe where there is one of that name. Touches no file.
    ///
    /// - Throws: `unsupportedFormat`.
    package static func check(
        path: String, format: SoundFileFormat? = nil, sampleRate: Int, channels: Int,
        encoder: EncoderSettings = EncoderSettings(), operation: String
    ) throws(SoundFileError) {
        let format = try Self.format(format, path, operation)
        if isPipe(path) { try SoundStream.check(format, name: path, operation: operation) }
        _ = try run(EncoderTrial(format: format, encoder: encoder), path, sampleRate, channels, operation)
    }

    /// Whether a descriptor takes such sound. Writes nothing.
    ///
    /// - Throws: `unsupportedFormat`, `cannotCreate`.
    package static func check(
        descriptor: CInt, name: String, format: SoundFileFormat?, sampleRate: Int, channels: Int,
        encoder: EncoderSettings, operation: String
    ) throws(SoundFileError) {
        let format = format ?? SoundStream.usualFormat
        _ = try run(EncoderTrial(format: format, encoder: encoder), name, sampleRate, channels, operation)
        _ = try SoundStream(copyOf: descriptor, name: name, format: format, operation: operation) { true }
    }

    static func format(
        _ format: SoundFileFormat?, _ path: String, _ operation: String
    ) throws(SoundFileError) -> SoundFileFormat {
        if let format { return format }
        return try SoundFileFormat(path: path, operation: operation)
    }

    /// Returns the names of the metadata that are left out.
    static func run(
        _ trial: EncoderTrial, _ path: String, _ sampleRate: Int, _ channels: Int, _ operation: String
    ) throws(SoundFileError) -> [String] {
        switch trial.run(sampleRate: sampleRate, channels: channels) {
        case .works(let omitted): return omitted
        case .lacks(let setting):
            throw SoundFileError(
                .unsupportedFormat, operation, path, "\(trial.format) has no \(setting) to set; leave it out")
        case .fails(let reason):
            throw SoundFileError(
                .unsupportedFormat, operation, path,
                lack(of: trial, sampleRate, channels)
                    ?? "no \(trial.format) file has \(channels) channels at \(sampleRate) hertz (libsndfile: \(reason)); use .wav"
            )
        }
    }

    /// What this kind of file lacks, and what it has; `nil` where something else is wrong.
    private static func lack(of trial: EncoderTrial, _ sampleRate: Int, _ channels: Int) -> String? {
        guard let nearest = trial.format.nearest(sampleRate: sampleRate, channels: channels) else { return nil }
        var words: [String] = []
        if nearest.sampleRate != sampleRate {
            words.append("no sample rate of \(sampleRate) hertz (the nearest is \(nearest.sampleRate))")
        }
        if nearest.channels != channels {
            let end = nearest.channels < channels ? "most" : "fewest"
            words.append("no \(channels) channels (the \(end) are \(nearest.channels))")
        }
        guard !words.isEmpty else { return nil }
        let kind = trial.format.container == .mp3 ? "MP3" : "\(trial.format)"
        return "\(kind) has \(words.joined(separator: " and ")); take what it has, or use .wav"
    }

    /// What of a file's places this kind of file has no room for, in words. In a pipe there is none.
    func omissions(of places: SoundPlaces) -> [String] {
        places.omissions(in: isFile ? fileFormat.container : .raw)
    }
}

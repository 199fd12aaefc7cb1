import AudioFiles

/// A sound file that is played, or a part of it; again and again where it loops.
struct PlayedFile: Signal {
    private let file: SoundFileReader
    private let loops: Bool
    /// The part, in the file's frames.
    private let start: Int
    private let end: Int

    /// Opens a file and makes sure that it holds what its header promises, or accepts what can be read.
    ///
    /// - Parameters:
    ///   - from, to: the part in seconds; both go to the nearest frame. `nil` for the end of the file.
    /// - Throws: `noInput`; `badInput`, also where the file is known to end before the part.
    init(
        path: String, loops: Bool, from: Double = 0, to: Double? = nil, accepting: SoundFileReader.Acceptance = .whole
    ) throws(SoundFileError) {
        file = try SoundFileReader(path: path, accepting: accepting, operation: "play")
        // The feed counts and silences them, behind whatever a signal is made of.
        file.silencesNotFinite = false
        self.loops = loops
        start = file.frame(at: from)
        end = max(start, to.map(file.frame) ?? Int.max)
        if let frames = file.frames, start > 0, start >= frames {
            let seconds = (Double(frames) * 1000 / Double(file.sampleRate)).rounded(.up) / 1000
            throw SoundFileError(
                .badInput, "play", path, "it ends after \(seconds) s, before the part begins that is to be heard")
        }
        if start > 0 { try file.seek(to: start) }
    }

    var path: String { file.path }
    var sampleRate: Int { file.sampleRate }
    var channels: Int { file.channels }
    var flaws: [SoundFileFlaw] { file.flaws }
    /// The format in libsndfile's words.
    var formatWords: String { file.formatWords }
    /// How many frames the part has, as the header promises; `nil` where it does not know.
    var promisedFrames: Int? { file.frames.map { min($0, end) - start } }
    /// Where its length is no more than an estimate, that.
    var estimatedFrames: Int? { file.estimatedFrames.map { max(0, min($0, end) - start) } }

    mutating func read(_ frames: Int, into target: inout [Float]) throws(SoundFileError) -> Int {
        while true {
            let count = file.position < end ? try file.read(min(frames, end - file.position), into: &target) : 0
            guard count == 0, loops, frames > 0, file.position > start else { return count }
            try file.seek(to: start)
        }
    }

    /// Up to so many frames from here on, or, of its end, where its length is known.
    consuming func excerpt(_ frames: Int, ofEnd: Bool = false) throws(SoundFileError) -> [Float] {
        if ofEnd {
            guard let promisedFrames else { return [] }
            try skip(max(0, promisedFrames - frames))
        }
        var samples: [Float] = []
        var block = [Float](repeating: 0, count: frames * channels)
        while samples.count < frames * channels {
            let count = try read(frames - samples.count / channels, into: &block)
            guard count > 0 else { break }
            samples += block[..<(count * channels)]
        }
        return samples
    }

    /// Leaves out frames from the beginning, before anything is read.
    func skip(_ frames: Int) throws(SoundFileError) {
        let target = start + (loops ? promisedFrames.map { frames % max(1, $0) } ?? frames : frames)
        let reached = try file.seek(to: min(target, end))
        // Of a loop whose length shows only at its end.
        if loops, reached < target, reached > start { try file.seek(to: start + (target - start) % (reached - start)) }
    }
}

extension SoundFileReader {
    /// The frame nearest to a time in seconds.
    func frame(at seconds: Double) -> Int { frameCount(of: seconds, at: sampleRate) }
}

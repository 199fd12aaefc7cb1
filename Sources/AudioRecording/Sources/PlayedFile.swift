import AudioFiles

/// A sound file that is played: whole or not at all, and again and again where it loops.
package struct PlayedFile: Signal {
    private let file: SoundFileReader
    private let loops: Bool

    /// Opens a file and makes sure that it holds what its header promises.
    ///
    /// - Throws: `noInput`, `badInput`.
    init(path: String, loops: Bool) throws(SoundFileError) {
        file = try SoundFileReader(path: path, accepting: .whole, operation: "play")
        // The feed counts and silences them, behind whatever a signal is made of.
        file.silencesNotFinite = false
        self.loops = loops
    }

    var path: String { file.path }
    var sampleRate: Int { file.sampleRate }
    package var channels: Int { file.channels }
    /// What the header promises; `nil` where it does not know.
    var promisedFrames: Int? { file.frames }

    package mutating func read(_ frames: Int, into target: inout [Float]) throws(SoundFileError) -> Int {
        while true {
            let count = try file.read(frames, into: &target)
            guard count == 0, loops, frames > 0, file.position > 0 else { return count }
            try file.seek(to: 0)
        }
    }

    /// Leaves out frames from the beginning, before anything is read.
    func skip(_ frames: Int) throws(SoundFileError) {
        let target = loops ? promisedFrames.map { frames % $0 } ?? frames : frames
        let reached = try file.seek(to: target)
        // Of a loop whose length shows only at its end.
        if loops, reached < target, reached > 0 { try file.seek(to: target % reached) }
    }
}

import AudioFiles

/// Something that a player can play: opened again each time, and for each sample rate.
package protocol Playable: Sendable {
    /// How many frames it has at a sample rate in hertz, at the most; `nil` where nobody knows, or it does not end.
    func frames(at sampleRate: Int) -> Int?

    /// Of the time in it at which it begins to be played, in seconds.
    var startSeconds: Double { get }
    /// How long it lasts; `nil` where nobody knows.
    var seconds: Double? { get }
    /// Whether it can be opened at any time in it.
    var isSeekable: Bool { get }

    /// Opens it.
    ///
    /// - Parameters:
    ///   - sampleRate: in hertz; what has another is converted.
    ///   - channels: what has more is mixed down.
    ///   - seconds: what was heard of it already, from `startSeconds` on.
    /// - Throws: where it cannot be played, though it could when it was made.
    func open(
        sampleRate: Int, channels: Int, from seconds: Double
    ) throws(SoundFileError) -> sending any Signal
}

extension Playable {
    package var startSeconds: Double { 0 }
    package var seconds: Double? { nil }
    package var isSeekable: Bool { true }
}

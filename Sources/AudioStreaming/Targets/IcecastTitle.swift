/// The title of an MP3 stream, which an Icecast server is asked to show its listeners between the bytes of the sound.
///
/// It knows the mount only some moments after it took the source, and not every server has this: it is asked some times.
///
/// Thread: one at a time, any that may block.
struct IcecastTitle {
    private let context: LinkContext
    private let title: String
    private var attempts = 0
    private var nextNanoseconds: UInt64 = 0

    private static let mostAttempts = 5
    private static let pauseNanoseconds: UInt64 = 300_000_000
    /// Of a connection, and again of the answer: together less than waits in the queue meanwhile.
    private static let answerMilliseconds = 500

    /// `nil` where the stream has no title.
    init?(_ context: LinkContext) {
        guard let title = context.target.station.title else { return nil }
        self.context = context
        self.title = title
    }

    /// Asks for it where it is time to.
    ///
    /// - Returns: whether no more is to be asked: the server has it, or does not take titles.
    mutating func isSet() -> Bool {
        guard context.clock() >= nextNanoseconds else { return false }
        attempts += 1
        let isTaken = IcecastRequest(context).sets(title: title, withinMilliseconds: Self.answerMilliseconds)
        nextNanoseconds = context.clock() + Self.pauseNanoseconds
        return isTaken || attempts == Self.mostAttempts
    }
}

import AudioFigures
import Jack

extension ServerFacts {
    /// Of the server of a client. Thread: control.
    ///
    /// - Parameters:
    ///   - server: its name, where it was given.
    ///   - configuration: of the server, where it is a private one.
    public init(_ client: borrowing Client, server: String?, configuration: ServerConfiguration? = nil) {
        self.init(
            name: LibJack.place(of: server), backend: configuration == nil ? nil : "dummy",
            sampleRate: client.sampleRate, periodFrames: client.periodFrames, sync: configuration?.isSync,
            realtime: client.isRealtime)
    }
}

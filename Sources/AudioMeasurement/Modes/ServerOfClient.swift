import AudioFigures
import Jack
import Threads

extension ServerFacts {
    /// Of the server of a client. Thread: control.
    ///
    /// - Parameters:
    ///   - server: its name, where it was given.
    ///   - configuration: of the server, where it is a private one.
    public init(_ client: borrowing Client, server: String?, configuration: ServerConfiguration? = nil) {
        let fallback = Environment["JACK_DEFAULT_SERVER"]
        self.init(
            name: server ?? fallback ?? "default", backend: configuration == nil ? nil : "dummy",
            sampleRate: client.sampleRate, periodFrames: client.periodFrames, sync: configuration?.isSync,
            realtime: client.isRealtime)
    }
}

import AudioFigures
import Synchronization
import Threads

/// Serves a page on which a unit is seen and heard, in a browser or any player, from a thread of its own.
///
/// The page and its figures come from this program alone. Streams are encoded once for each codec, however many listen, and
/// only while somebody does. A listener that does not read loses whole packets, and nobody else does.
///
/// | path | what |
/// |---|---|
/// | `/` | the page |
/// | `/stream?codec=` | WebSocket `iounit.stream.1`: an opening, then packets (`StreamOpening`, `StreamPacket`) |
/// | `/stream.opus`, `.flac`, `.wav` | an endless file for any player |
/// | `/live` | WebSocket `iounit.live.1`: what `show` was given; `iounit.live.2`: that once, then what changes; a page sends controls, and `{"without":[NAME,…]}` for members that it does not show |
/// | `/status.json`, `/metrics`, `/healthz` | what `publish` was given |
///
/// Thread: any but audio.
public final class PageServer: Sendable {
    /// As asked for, with the token that was made where one was needed.
    public let configuration: PageConfiguration
    /// Where it listens.
    public let address: PageAddress
    private let inbox = PageInbox()
    private let published = PagePublished()
    private let worker: Worker
    /// Whether the thread was waited for in vain, and is left to itself.
    private let isLeft = Atomic<Bool>(false)

    /// So long is waited for the thread when nothing goes out any more.
    private static let patienceSeconds = 10.0

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - configuration: where a token is needed and none is given, one is made.
    ///   - control: called with each request of a listener that has the token. It runs on the server's thread and must not
    ///     wait. The listener gets the reason of an error that it throws.
    /// - Throws: `unresolved`, `occupied`, `permission`, `network`, `unsupported` for a certificate that does not fit,
    ///   `resources`.
    public init(
        _ configuration: PageConfiguration,
        control: @escaping @Sendable (PageControl) throws(StreamError) -> Void = { _ in }
    ) throws(StreamError) {
        var configuration = configuration
        if configuration.token == nil, configuration.isPrivate || configuration.hasControls {
            configuration.token = AccessToken()
        }
        self.configuration = configuration
        let socket = try ListeningSocket.open(
            configuration.address, operation: "serve the page at \(configuration.address)",
            choice: "choose another with --port")
        address = PageAddress(host: configuration.address.host, port: socket.port)
        // Safe to hand over: it is made here, nothing keeps it but the thread, and that alone calls it; what others ask for comes
        // through `inbox` and `published`, which have locks.
        nonisolated(unsafe) let service = try PageService(
            configuration, socket, inbox, published, control: control)
        do throws(ResourceError) {
            worker = try Worker("iounit-serve") { unsafe service.run() }
        } catch {
            throw StreamError(.resources, error.operation, error.reason)
        }
    }

    deinit { stop(within: 0) }

    /// What an endless file for any player is asked for by.
    public static var streamPaths: [String] { Codec.all.compactMap { $0.page?.path } }

    /// As in a browser's line of addresses, without a token. Where it listens at all addresses of the machine, one that other
    /// machines may reach.
    public var url: String { "\(configuration.certificate == nil ? "http" : "https")://\(address.reachable)/" }

    /// What it has done so far.
    public var figures: PageFigures { published.contents.figures }

    /// Shows text to all pages that are open, and to those that come: the newest only.
    ///
    /// - Parameter live: JSON of the form `iounit.live/1`: an object with the same members each time.
    public func show(_ live: String) { inbox.show(live) }

    /// Answers with this from now on.
    ///
    /// - Parameters:
    ///   - status: JSON, of `/status.json`.
    ///   - exposition: of `/metrics`; the server's own figures are added.
    ///   - health: what keeps the unit from running, as one sentence; `nil` where it runs.
    public func publish(status: String, _ exposition: MetricsExposition, health: String?) {
        published.change { contents in
            (contents.status, contents.exposition, contents.health) = (status, exposition, health)
        }
    }

    /// Ends: what waits goes out to listeners that take it in time. Returns when all connections are closed. Calling it again
    /// does nothing.
    ///
    /// Where the server's thread does not come back, as from a `control` that waits, it is left to itself ten seconds later.
    /// It keeps all that it uses, and closes the connections when it comes back. Called on that thread, this does not wait for it.
    ///
    /// - Returns: whether all connections are closed.
    @discardableResult
    public func stop(within seconds: Double = 1) -> Bool {
        stop(within: seconds, patienceSeconds: Self.patienceSeconds)
    }

    /// - Parameter patienceSeconds: how much longer the thread is waited for.
    func stop(within seconds: Double, patienceSeconds: Double) -> Bool {
        let end = MonotonicClock.nanoseconds() + UInt64(max(0, min(seconds, 3600)) * 1e9)
        inbox.end(atNanoseconds: end)
        let deadline = end + UInt64(patienceSeconds * 1e9)
        // The thread waits for its sockets: the time of the end has to be brought to it.
        while !worker.isFinished {
            inbox.wake()
            guard !worker.isCurrent, !isLeft.load(ordering: .relaxed) else { return false }
            guard MonotonicClock.nanoseconds() < deadline else {
                isLeft.store(true, ordering: .relaxed)
                return false
            }
            MonotonicClock.sleep(milliseconds: 10)
        }
        worker.join()
        return true
    }

    /// What packets are made of from now on. Once.
    func begin(sampleRate: Int, channels: Int) -> Broadcast {
        let inbox = inbox
        let new = Broadcast(
            configuration, sampleRate: sampleRate, channels: channels, deliver: { inbox.push($0) },
            fail: { inbox.fail($0) })
        published.change { $0.broadcast = new }
        return new
    }
}

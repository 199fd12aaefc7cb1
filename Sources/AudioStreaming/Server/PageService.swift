import CWebSockets
import Glibc
import Threads

/// The server's thread: connections, and what goes to each.
///
/// Thread: the server's, from `run` on; before that the one that makes it.
@safe final class PageService {
    private let inbox: PageInbox
    private let configuration: PageConfiguration
    private let access: PageAccess
    private let published: PagePublished
    private let control: @Sendable (PageControl) throws(StreamError) -> Void
    private let socket: ListeningSocket
    private let library: PageLibrary

    private var crowd: PageCrowd<WebConnection>
    private let descriptorLimit = PageLibrary.descriptorLimit
    private var connections: [WebConnection: PageConnection] = [:]
    /// Those that are open, by what they listen to.
    private var listeners: [Codec: [PageConnection]] = [:]
    private var scene = ShownScene()
    private var figures = PageFigures()

    /// Those who have come are to ask before others press them out.
    private static let acceptedAtOnce = 64
    /// After so many seconds one who found no place is to try again.
    private static let retrySeconds = 10

    init(
        _ configuration: PageConfiguration, _ socket: ListeningSocket, _ inbox: PageInbox, _ published: PagePublished,
        control: @escaping @Sendable (PageControl) throws(StreamError) -> Void
    ) throws(StreamError) {
        self.configuration = configuration
        self.socket = socket
        self.inbox = inbox
        self.published = published
        self.control = control
        crowd = PageCrowd(try PageLimits(configuration, descriptors: descriptorLimit))
        access = PageAccess(configuration, machineName: PageAccess.machineName)
        library = try PageLibrary(configuration)
        try library.begin(self, listeningAt: socket.descriptor)
        unsafe inbox.wakes(library.context)
    }

    /// Where no thread could be had for it, nothing has ended the library, which calls this object while it ends.
    deinit { end() }

    private func end() {
        unsafe inbox.wakes(nil)
        library.end()
    }

    /// Thread: the server's, for its whole life.
    func run() {
        while library.service() {
            if library.takeLook() { dropLeavers() }
            guard let end = distribute() else { continue }
            let isBusy = connections.values.contains { $0.hasWork || $0.handle.isKeeping }
            if MonotonicClock.nanoseconds() >= end || !isBusy { break }
        }
        end()
        connections = [:]
        note()
    }

    /// Ends the files of those who have gone: the library reads nothing from them, and so would never wait again.
    private func dropLeavers() {
        for connection in connections.values where connection.hasLeft { library.close(connection.handle) }
    }

    // What comes from elsewhere.

    /// Hands out what other threads have left; returns when to end, where that is known.
    @discardableResult func distribute() -> UInt64? {
        let contents = inbox.take()
        // The library says it once for each protocol.
        guard !contents.isEmpty else { return contents.endNanoseconds }
        for piece in contents.pieces {
            let shared = SharedPacket(piece)
            for connection in listeners[piece.codec] ?? [] { connection.queue.push(shared) }
        }
        for codec in Set(contents.pieces.map(\.codec)) {
            for connection in listeners[codec] ?? [] { connection.wantsToSend() }
        }
        if let text = contents.live {
            scene.show(text)
            for connection in connections.values where connection.isOpen && connection.isViewer {
                connection.show(scene)
            }
        }
        for codec in contents.failedCodecs {
            for connection in connections.values where connection.codec == codec { library.close(connection.handle) }
        }
        published.change { $0.figures = figures }
        return contents.endNanoseconds
    }

    /// Somebody has come or gone.
    private func note() {
        figures.connections = crowd.count
        listeners = [:]
        for connection in connections.values where connection.isOpen {
            if let codec = connection.codec { listeners[codec, default: []].append(connection) }
        }
        figures.listeners = listeners.values.reduce(0) { $0 + $1.count }
        figures.mostListeners = max(figures.mostListeners, figures.listeners)
        figures.viewers = connections.values.count { $0.isOpen && $0.isViewer }
        figures.codecs = Codec.all.filter { listeners[$0] != nil }
        published.contents.broadcast?.want(Set(figures.codecs))
        published.change { $0.figures = figures }
    }

    // What the library says.

    /// Takes some of the connections that wait.
    func accept() {
        defer { note() }
        for _ in 0..<Self.acceptedAtOnce {
            guard let descriptor = socket.accept() else { return }
            // The kernel gives the least number that is free: beyond these nothing is left for our own files.
            guard Int(descriptor) < descriptorLimit - PageLimits.keptDescriptors / 2,
                let address = PeerAddress(of: descriptor)
            else {
                figures.refusals += 1
                close(descriptor)
                continue
            }
            guard let handle = library.adopt(descriptor) else {
                figures.refusals += 1
                continue
            }
            guard let gone = crowd.add(handle, from: address) else { continue }
            figures.refusals += 1
            library.close(gone)
        }
    }

    /// Gives a connection a place; returns the refusal where there is none.
    private func seat(_ connection: PageConnection, as place: PageCrowd<WebConnection>.Place) -> PageResponse? {
        guard let sentence = crowd.seat(connection.handle, as: place) else { return nil }
        figures.refusals += 1
        return Self.refusal(ofPlace: sentence)
    }

    private static func refusal(ofPlace sentence: String) -> PageResponse {
        .refusal(503, sentence, retrySeconds: retrySeconds)
    }

    /// Answers a complete request. Returns what libwebsockets is to do with the connection.
    func answer(_ handle: WebConnection, _ request: PageRequest) -> CInt {
        let connection = connection(handle)
        let verdict = access.judge(request)
        var response = PageResponse(status: 200)
        switch verdict {
        case .resource(let resource):
            response.mediaType = resource.mediaType
            response.body = resource.bytes
            response.isKept = true
        case .health:
            let health = published.contents.health
            response = .refusal(health == nil ? 200 : 503, health ?? "running")
        case .status:
            response.mediaType = "application/json"
            response.body = Array(published.contents.status.utf8)
        case .metrics:
            response.mediaType = "application/openmetrics-text; version=1.0.0; charset=utf-8"
            response.body = Array(published.contents.metrics.utf8)
        case .file(let file):
            return begin(file, connection, isHead: request.method == .head)
        case .refused(let status, let sentence):
            figures.refusals += 1
            response = .refusal(status, sentence)
        case .packets, .live:
            figures.refusals += 1
            // A browser does not tell its page why a WebSocket was refused: the page asks again without one.
            let place: PageCrowd<WebConnection>.Place = if case .live = verdict { .viewer } else { .listener }
            response =
                crowd.refusal(handle, as: place).map(Self.refusal(ofPlace:)) ?? .refusal(426, "this is a WebSocket")
        }
        let result = library.send(response, to: handle, isHead: request.method == .head)
        // A body is not waited for.
        return request.hasBody ? -1 : result
    }

    /// Answers what begins with no method of HTTP that the library knows. Returns as above.
    func refuse(_ handle: WebConnection) -> CInt {
        figures.refusals += 1
        let response = PageResponse.refusal(501, "only GET and HEAD are answered here")
        _ = WireMessage(response.head + response.body).send(handle, LWS_WRITE_HTTP)
        return -1
    }

    /// One that wants a WebSocket; returns 0 where it gets it.
    func upgrade(_ handle: WebConnection, _ request: PageRequest) -> CInt {
        let connection = connection(handle)
        let refusal: PageResponse?
        switch access.judge(request) {
        case .packets(let codec):
            refusal = refusalOfStream(codec) ?? seat(connection, as: .listener)
            if refusal == nil { connection.role = .packets(codec) }
        case .live(let mayControl):
            refusal = seat(connection, as: .viewer)
            if refusal == nil { connection.role = .live(mayControl: mayControl) }
        case .refused(let status, let sentence): refusal = .refusal(status, sentence)
        default: refusal = .refusal(404, "there is no such WebSocket; /stream and /live are")
        }
        guard let refusal else { return 0 }
        if refusal.retrySeconds == nil { figures.refusals += 1 }
        _ = library.send(refusal, to: handle, isHead: false)
        return 1
    }

    /// Why there is no stream of a codec; `nil` where there is one.
    private func refusalOfStream(_ codec: Codec) -> PageResponse? {
        guard let broadcast = published.contents.broadcast else { return .refusal(503, "nothing is rendered yet") }
        return broadcast.refusal(codec).map { .refusal(415, $0.description) }
    }

    private func begin(_ file: Codec, _ connection: PageConnection, isHead: Bool) -> CInt {
        let response = PageResponse(status: 200, mediaType: file.page?.mediaType ?? "", isEndless: true)
        let refusal = refusalOfStream(file) ?? (isHead ? nil : seat(connection, as: .listener))
        if let refusal, refusal.retrySeconds == nil { figures.refusals += 1 }
        if refusal != nil || isHead {
            return library.send(refusal ?? response, to: connection.handle, isHead: isHead)
        }
        connection.role = .file(file)
        opened(connection.handle)
        return library.begin(response, to: connection.handle)
    }

    func opened(_ handle: WebConnection) {
        let connection = connection(handle)
        connection.isOpen = true
        if connection.codec != nil { figures.listenings += 1 }
        if case .live(let mayControl) = connection.role {
            connection.outbox.append((WireMessage(["mayControl": mayControl].jsonText), LWS_WRITE_TEXT))
            connection.takesChanges = handle.protocolName == PageConnection.changesProtocol.description
            connection.show(scene)
        }
        note()
    }

    /// The connection takes more; returns whether it lives.
    func send(_ handle: WebConnection) -> Bool {
        guard let connection = connections[handle], connection.isOpen else { return true }
        if case .file = connection.role { return connection.sendFile(&figures) }
        return connection.sendMessage(&figures)
    }

    /// A part of a message; returns the status with which to close the WebSocket, or `nil`.
    func receive(_ handle: WebConnection, _ bytes: [UInt8], isEnd: Bool, isText: Bool) -> (Int, String)? {
        let connection = connection(handle)
        connection.received += bytes
        guard connection.received.count <= PageControl.limit else { return (1009, "a message is too long") }
        guard isEnd else { return nil }
        defer { connection.received = [] }
        guard case .live(let mayControl) = connection.role else { return nil }
        guard isText else { return (1003, "a message is text") }
        let text = String(decoding: connection.received, as: UTF8.self)
        if let wish = PageWish(text: text) {
            connection.leaveOut(wish.without)
            return nil
        }
        var refusal: String?
        if mayControl {
            do throws(StreamError) {
                try control(PageControl(text: text))
            } catch {
                refusal = error.reason
            }
        } else {
            refusal = "the controls are not open to you"
        }
        // One who floods us hears one answer at a time.
        if let refusal, connection.outbox.count < 4 {
            connection.outbox.append((WireMessage(["refused": refusal].jsonText), LWS_WRITE_TEXT))
            connection.wantsToSend()
        }
        return nil
    }

    /// Nothing more goes to a connection, which is still open.
    func ended(_ handle: WebConnection) {
        connections.removeValue(forKey: handle)?.noteEnd(&figures)
        note()
    }

    func closed(_ handle: WebConnection) {
        crowd.remove(handle)
        ended(handle)
    }

    private func connection(_ handle: WebConnection) -> PageConnection {
        if let known = connections[handle] { return known }
        let new = PageConnection(handle, queueSeconds: configuration.queueSeconds)
        connections[handle] = new
        return new
    }
}

import CShout
import Glibc
import Threads

/// A connection of libshout to an Icecast server, as a source.
///
/// libshout neither waits nor says when it may go on: it is asked every 20 ms while the server takes nothing. Why a server
/// refuses a source it does not say either: then the server is asked once more, without libshout.
///
/// Thread: one at a time, any that may block.
@safe final class IcecastServer {
    private let raw: OpaquePointer
    private let context: LinkContext
    private var target: StreamTarget { context.target }
    /// What libshout connects to.
    private let host: String

    private static let isPrepared: Void = shout_init()
    private static let pauseMilliseconds = 20
    private static let connectNanoseconds: UInt64 = 10_000_000_000
    private static let patienceNanoseconds: UInt64 = 15_000_000_000
    /// libshout waits by select(2), which knows 1024 files and ends the program with one beyond them. Some of them stay free for
    /// what is opened at the same moment.
    static let mostFiles: CInt = 1024 - 64
    /// What may wait within libshout, in bytes; what is more waits in the target's queue.
    private static let queueLimit = 64 << 10

    /// Connects, and logs in.
    ///
    /// - Parameter mostFiles: with more open files it is not tried.
    /// - Throws: `unresolved`, `network`, `denied`, `protocolError`, `resources`, `missing`.
    init(_ context: LinkContext, mostFiles: CInt = IcecastServer.mostFiles) throws(StreamError) {
        // libshout writes to connections that are closed already; libwebsockets lets the signal of that be ignored.
        try WebTrust.prepare(for: context.operation)
        do { try OptionalLibrary.libshout.load() } catch { throw StreamError(error, context.operation) }
        _ = Self.isPrepared
        self.context = context
        // libshout does not tell a name that does not resolve from a server that is not there. It asks for the address of a name
        // once more by itself, for as long as the C library takes.
        host = try Self.host(
            context, Socket.addresses(of: context.target.host, operation: context.operation, waits: context.waits))
        guard Self.nextFile < mostFiles else {
            throw context.fail(
                .network,
                "too many files are open in this program for Icecast, which takes one of the first \(mostFiles); let fewer "
                    + "listen, or send from another one")
        }
        guard let raw = unsafe shout_new() else {
            throw context.fail(.resources, "there is no more memory")
        }
        unsafe self.raw = raw
        configure()
        try connect()
    }

    deinit {
        // Also where the connection came to nothing: `shout_free` leaves its socket open.
        unsafe shout_close(raw)
        unsafe shout_free(raw)
    }

    /// What libshout is to connect to: the name, which it sends as `Host`, by which proxies tell servers apart. Of several
    /// addresses it waits for the first alone: where another one takes the connection, it is given that.
    ///
    /// - Parameter addresses: of the target's host, as numbers.
    /// - Throws: `network` where none of them takes a connection.
    static func host(_ context: LinkContext, _ addresses: [String]) throws(StreamError) -> String {
        guard addresses.count > 1 else { return context.target.host }
        var failure = context.fail(.network, networkError(ECONNREFUSED))
        for address in addresses {
            do throws(StreamError) {
                _ = try Socket.connect(
                    .tcp, host: address, port: context.target.port, operation: context.operation, waits: context.waits)
                return address == addresses[0] ? context.target.host : address
            } catch {
                failure = error
            }
        }
        throw failure
    }

    /// The number that the kernel will give to the next file: the least that is free.
    private static var nextFile: CInt {
        let next = unsafe Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
        if next >= 0 { close(next) }
        return next
    }

    private func configure() {
        let station = target.station
        unsafe shout_set_host(raw, host)
        unsafe shout_set_port(raw, UInt16(target.port))
        unsafe shout_set_user(raw, target.user)
        unsafe shout_set_password(raw, target.access.secret?.text ?? "")
        // It percent-encodes the path itself.
        unsafe shout_set_mount(raw, PercentEncoding.decoded(target.path) ?? target.path)
        unsafe shout_set_agent(raw, "iounit")
        unsafe shout_set_protocol(raw, UInt32(SHOUT_PROTOCOL_HTTP))
        unsafe shout_set_tls(raw, SHOUT_TLS_DISABLED)
        let format = context.opening.codec.icecast?.shoutFormat ?? SHOUT_FORMAT_OGG
        unsafe shout_set_content_format(raw, UInt32(format), SHOUT_USAGE_AUDIO, nil)
        unsafe shout_set_nonblocking(raw, UInt32(SHOUT_BLOCKING_NONE))
        unsafe shout_set_audio_info(raw, SHOUT_AI_SAMPLERATE, "\(context.opening.rate)")
        unsafe shout_set_audio_info(raw, SHOUT_AI_CHANNELS, "\(context.opening.channels)")
        if let bitRate = context.settings.bitRate {
            unsafe shout_set_audio_info(raw, SHOUT_AI_BITRATE, "\(bitRate / 1000)")
        }
        let facts = [
            (SHOUT_META_NAME, station.title), (SHOUT_META_DESCRIPTION, station.description),
            (SHOUT_META_GENRE, station.genre),
        ]
        for (name, text) in facts { if let text { unsafe shout_set_meta(raw, name, text) } }
    }

    private func connect() throws(StreamError) {
        let deadline = MonotonicClock.nanoseconds() + Self.connectNanoseconds
        var code = unsafe shout_open(raw)
        while code == SHOUTERR_BUSY || code == SHOUTERR_RETRY {
            guard context.waits(), MonotonicClock.nanoseconds() < deadline else {
                throw context.fail(.network, "it takes connections and does not answer; does it still run?")
            }
            MonotonicClock.sleep(milliseconds: Self.pauseMilliseconds)
            code = unsafe shout_get_connected(raw)
        }
        guard code == SHOUTERR_SUCCESS || code == SHOUTERR_CONNECTED else { throw refusal }
    }

    private var refusal: StreamError {
        let request = IcecastRequest(context)
        do throws(StreamError) {
            return context.fail(.network, try request.refusal() ?? "it refused once, and would not again")
        } catch {
            return error
        }
    }

    /// Sends bytes, and waits while the server does not take them.
    ///
    /// - Throws: `network`.
    func send(_ bytes: [UInt8]) throws(StreamError) {
        // An encoder may have made nothing yet.
        guard !bytes.isEmpty else { return try serve() }
        let sent = unsafe shout_send_raw(raw, bytes, bytes.count)
        guard sent == bytes.count else { throw over }
        givenBytes += UInt64(sent)
        try serve()
        let deadline = MonotonicClock.nanoseconds() + Self.patienceNanoseconds
        while waitingBytes > Self.queueLimit {
            guard context.waits(), MonotonicClock.nanoseconds() < deadline else { throw tooSlow }
            MonotonicClock.sleep(milliseconds: Self.pauseMilliseconds)
            try serve()
        }
    }

    /// Lets libshout send what waits.
    ///
    /// - Throws: `network`: the connection is over.
    func serve() throws(StreamError) {
        let code = unsafe shout_send(raw, nil, 0)
        guard [SHOUTERR_SUCCESS, SHOUTERR_BUSY, SHOUTERR_RETRY].contains(code) else { throw over }
    }

    private var over: StreamError { context.fail(.network, networkError(ECONNRESET)) }

    private var tooSlow: StreamError {
        context.fail(.network, "it takes nothing; is the network too slow for the stream?")
    }

    /// Bytes of the stream that libshout has taken.
    private(set) var givenBytes: UInt64 = 0

    /// Those of them that the network has not taken.
    var waitingBytes: Int { unsafe max(0, shout_queuelen(raw)) }

    /// Waits for what is still to be sent, while it may.
    ///
    /// - Throws: `network`: some of it does not leave.
    func flush() throws(StreamError) {
        while waitingBytes > 0 {
            guard context.waits() else { throw tooSlow }
            MonotonicClock.sleep(milliseconds: Self.pauseMilliseconds)
            try serve()
        }
    }
}

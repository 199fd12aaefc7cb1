import CJack
import Threads

/// What an open client can do, whether it is active or not. Every function may be called from any control thread,
/// and none from the audio thread.
public protocol JackClient: ~Copyable {
    /// The open connection, for the functions below.
    var view: ConnectionView { get }
}

/// A look at an open connection that does not own it: its holder keeps the client open.
public struct ConnectionView: JackClient, Sendable {
    let hub: NotificationHub
    var raw: OpaquePointer { unsafe hub.client }

    public var view: ConnectionView { self }

    /// Asks libjack for something that the server answers.
    ///
    /// - Parameters:
    ///   - patienceSeconds: how long the answer may take.
    ///   - mustRun: whether it is done all the same where this gave up before it began.
    /// - Throws: `unresponsive`.
    func request<Result: Sendable>(
        _ operation: String, patienceSeconds: Double = ControlThread.patienceSeconds, mustRun: Bool = false,
        _ body: @escaping @Sendable (ClientHandle) -> Result
    ) throws(JackError) -> Result {
        let client = unsafe ClientHandle(raw)
        // A close stands behind it on the control thread, so the client is open.
        return try ControlThread.shared.perform(operation, patienceSeconds: patienceSeconds, mustRun: mustRun) {
            body(client)
        }
    }
}

// The client as such.
extension JackClient where Self: ~Copyable {
    /// The name that the server gave, which may be another than was asked for.
    public var name: String { view.hub.name }

    /// The server's sample rate in hertz. Here and below it is 0, or `false`, where libjack has freed the client because its
    /// server ended.
    public var sampleRate: Int { told { unsafe Int(jack_get_sample_rate($0.raw)) } ?? 0 }
    /// The server's present period in frames.
    public var periodFrames: Int { told { unsafe Int(jack_get_buffer_size($0.raw)) } ?? 0 }
    /// Whether the server runs its threads in real time.
    public var isRealtime: Bool { told { unsafe jack_is_realtime($0.raw) == 1 } ?? false }
    /// The server's estimate of its load, 0…1.
    public var dspLoad: Double { told { unsafe Double(jack_cpu_load($0.raw)) / 100 } ?? 0 }
    /// JACK's frame clock now; wraps at 2³².
    public var frameTime: UInt32 { told { unsafe jack_frame_time($0.raw) } ?? 0 }

    /// What libjack tells at once; `nil` where it has freed the client, which must not be touched then.
    func told<Answer>(_ ask: (ClientHandle) -> Answer) -> Answer? {
        // SAFETY: else the connection is open as long as `self`.
        view.hub.isFreed.load(ordering: .acquiring) ? nil : ask(handle)
    }

    /// Whether the server is gone or has thrown the client out.
    public var hasShutDown: Bool { view.hub.hasShutDown }

    /// For `Cycle`: valid as long as the client is active.
    public var handle: ClientHandle { unsafe ClientHandle(view.raw) }

    /// The periods that JACK permits, in frames.
    public static var periods: ClosedRange<Int> { 1...8192 }

    /// Asks the server for another period. PipeWire may answer yes and not do it.
    public func setPeriod(frames: Int) throws(JackError) {
        let operation = "set a period of \(frames) frames"
        guard Self.periods.contains(frames) else {
            throw JackError(
                .invalidRequest, operation, "use \(Self.periods.lowerBound) to \(Self.periods.upperBound)")
        }
        let result = try view.request(operation) { unsafe jack_set_buffer_size($0.raw, jack_nframes_t(frames)) }
        guard result == 0 else {
            throw failure(operation, "the server's backend does not take it")
        }
    }

    /// Lets the server run as fast as it can, or in real time again. Waits for the server up to 15 s: a freewheeling jackd 1.9.21
    /// that a client has left waits for that for 10 s.
    public func setFreewheel(_ isOn: Bool) throws(JackError) {
        let operation = "turn freewheeling \(isOn ? "on" : "off")"
        let result = try view.request(operation, patienceSeconds: 15, mustRun: !isOn) {
            unsafe jack_set_freewheel($0.raw, isOn ? 1 : 0)
        }
        guard result == 0 else {
            throw failure(
                operation,
                "the server refused: " + (isOn ? "it freewheels already, for another program" : "it does not freewheel")
            )
        }
    }

    /// Calls `handler` for each notification from now on, on JACK's notification thread: it must not block, and
    /// not call JACK. If the server is gone already, it is told so at once, on this thread.
    public func onNotification(_ handler: @escaping @Sendable (Notification) -> Void) { view.hub.add(handler) }

    /// The notifications from now on. Ends after a shutdown, and when the client is closed. Each call makes a stream
    /// of its own, for one reader; when that lags by 1024, further ones are dropped and counted (`missed`).
    public func notifications() -> AsyncStream<Notification> { view.hub.stream() }

    func failure(_ operation: String, _ reason: String, kind: JackError.Kind = .refused) -> JackError {
        hasShutDown
            ? JackError(.serverGone, operation, "the server is gone; start it again and reconnect")
            : JackError(kind, operation, reason)
    }
}

// Ports and connections of the whole graph.
extension JackClient where Self: ~Copyable {
    /// Removes one of the client's ports.
    public func unregister(_ port: Port) throws(JackError) {
        let operation = "unregister the port \(port.name)"
        guard try view.request(operation, { unsafe jack_port_unregister($0.raw, port.raw) }) == 0 else {
            throw failure(operation, "this client has no such port", kind: .notFound)
        }
    }

    /// Connects two ports by name; a connection that is there already is none to make.
    public func connect(_ source: String, to target: String) throws(JackError) {
        let operation = "connect \(source) to \(target)"
        // A moment later than it is there, PipeWire tells one client of another's port, be both of one process.
        for name in [source, target] where LibJack.isPipeWire && LibJack.hasClient(ofPort: name) {
            let deadline = MonotonicClock.nanoseconds() + 2_000_000_000
            while port(named: name) == nil, MonotonicClock.nanoseconds() < deadline {
                MonotonicClock.sleep(milliseconds: 1)
            }
        }
        let result = try view.request(operation) { unsafe jack_connect($0.raw, source, target) }
        guard result == 0 || result == EEXIST else {
            for name in [source, target] where port(named: name) == nil {
                throw failure(operation, "there is no port \(name)", kind: .notFound)
            }
            throw failure(operation, "JACK connects an output to an input of its type, both of active clients")
        }
    }

    /// Ends a connection.
    ///
    /// - Throws: `notFound` where there is none between the two.
    public func disconnect(_ source: String, from target: String) throws(JackError) {
        let operation = "disconnect \(source) from \(target)"
        guard try view.request(operation, { unsafe jack_disconnect($0.raw, source, target) }) == 0 else {
            throw failure(operation, "they are not connected", kind: .notFound)
        }
    }

    /// The ports that answer a query, in the server's order.
    ///
    /// - Throws: `invalidRequest` where the pattern is no regular expression.
    public func ports(_ query: PortQuery = PortQuery()) throws(JackError) -> [PortInfo] {
        if let pattern = query.pattern { try checkPattern(pattern) }
        var flags: UInt = 0
        if query.direction == .input { flags |= UInt(JackPortIsInput.rawValue) }
        if query.direction == .output { flags |= UInt(JackPortIsOutput.rawValue) }
        if query.isPhysical == true { flags |= UInt(JackPortIsPhysical.rawValue) }
        // By the names as they are: one that is no UTF-8 is another as a `String`, and of that there is no port.
        let ports = unsafe taken(jack_get_ports(view.raw, query.pattern, query.type, flags)) { name in
            unsafe jack_port_by_name(view.raw, name).map { unsafe info(of: $0, named: String(cString: name)) }
        }
        // libjack compares types as patterns too.
        return ports.compactMap(\.self).filter {
            !(query.isPhysical == false && $0.isPhysical) && (query.type == nil || query.type == $0.type)
        }
    }

    /// What the server knows of a port, or `nil` where there is none of that name.
    public func port(named name: String) -> PortInfo? {
        unsafe jack_port_by_name(view.raw, name).map { unsafe info(of: $0, named: name) }
    }

    @unsafe private func info(of port: OpaquePointer, named name: String) -> PortInfo {
        let flags = unsafe JackPortFlags(rawValue: UInt32(bitPattern: jack_port_flags(port)))
        return unsafe PortInfo(
            name: jack_port_name(port).map { unsafe String(cString: $0) } ?? name,
            aliases: aliases(of: port),
            direction: flags.rawValue & JackPortIsInput.rawValue != 0 ? .input : .output,
            type: jack_port_type(port).map { unsafe String(cString: $0) } ?? "",
            isPhysical: flags.rawValue & JackPortIsPhysical.rawValue != 0,
            isTerminal: flags.rawValue & JackPortIsTerminal.rawValue != 0,
            connections: taken(jack_port_get_all_connections(view.raw, port)) { unsafe String(cString: $0) },
            captureLatency: latency(of: port, .capture),
            playbackLatency: latency(of: port, .playback))
    }

    /// Gives one of the client's ports a second name; a port may have two.
    public func setAlias(_ alias: String, of port: Port) throws(JackError) {
        guard unsafe jack_port_set_alias(port.raw, alias) == 0 else {
            throw failure("give \(port.name) the alias \(alias)", "the port has two already")
        }
    }

    /// Gives one of the client's ports another name.
    public func rename(_ port: Port, to name: String) throws(JackError) {
        let operation = "rename \(port.name) to \(name)"
        guard try view.request(operation, { unsafe jack_port_rename($0.raw, port.raw, name) }) == 0 else {
            throw failure(operation, "the name is taken, or too long")
        }
    }

    /// Asks every client again for its latencies.
    public func recomputeLatencies() throws(JackError) {
        let operation = "recompute the latencies"
        guard try view.request(operation, { unsafe jack_recompute_total_latencies($0.raw) }) == 0 else {
            throw failure(operation, "the server refused")
        }
    }

    /// The latency of one of the client's own ports.
    public func latency(of port: Port, _ direction: LatencyDirection) -> LatencyRange {
        unsafe latency(of: port.raw, direction)
    }

    /// The present name of one of the client's own ports, which others may have changed.
    public func name(of port: Port) -> String {
        unsafe jack_port_name(port.raw).map { unsafe String(cString: $0) } ?? port.name
    }

    /// The present names of some of them.
    package func names(of ports: [Port]) -> [String] {
        var names: [String] = []
        for port in ports { names.append(name(of: port)) }
        return names
    }

    private func latency(of port: OpaquePointer, _ direction: LatencyDirection) -> LatencyRange {
        var range = jack_latency_range_t()
        unsafe jack_port_get_latency_range(port, direction.mode, &range)
        return LatencyRange(minimum: Int(range.min), maximum: Int(range.max))
    }

    private func aliases(of port: OpaquePointer) -> [String] {
        let size = Int(jack_port_name_size())
        let texts = UnsafeMutablePointer<CChar>.allocate(capacity: 2 * size)
        unsafe texts.initialize(repeating: 0, count: 2 * size)
        defer { unsafe texts.deallocate() }
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe [texts, texts + size]
        // SAFETY: libjack writes up to two names of at most that size.
        let count = unsafe jack_port_get_aliases(port, &pointers)
        // PipeWire counts an empty one.
        return (0..<Int(max(0, count))).map { unsafe String(cString: texts + $0 * size) }.filter { !$0.isEmpty }
    }
}

/// What is made of each name in a list of libjack's, which is freed.
@unsafe private func taken<Value>(
    _ list: UnsafeMutablePointer<UnsafePointer<CChar>?>?, _ value: (UnsafePointer<CChar>) -> Value
) -> [Value] {
    guard let list = unsafe list else { return [] }
    defer { unsafe jack_free(list) }
    var values: [Value] = []
    // SAFETY: the list ends with a null.
    while let name = unsafe list[values.count] { unsafe values.append(value(name)) }
    return values
}

/// Makes sure that a pattern is a POSIX extended regular expression: libjack takes a wrong one for "anything".
///
/// - Throws: `invalidRequest`.
package func checkPattern(_ pattern: String) throws(JackError) {
    var expression = unsafe regex_t()
    let result = unsafe regcomp(&expression, pattern, REG_EXTENDED | REG_NOSUB)
    guard result == 0 else {
        let said = unsafe String(unsafeUninitializedCapacity: 256) { text in
            unsafe text.withMemoryRebound(to: CChar.self) {
                max(0, unsafe regerror(result, &expression, $0.baseAddress, $0.count) - 1)
            }
        }
        throw JackError(
            .invalidRequest, "look for ports matching \"\(pattern)\"",
            "it is no regular expression: \(said)")
    }
    unsafe regfree(&expression)
}

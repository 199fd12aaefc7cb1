import CJack
import Synchronization

/// How a private server runs.
public struct ServerConfiguration: Sendable, Equatable {
    /// In hertz.
    public var sampleRate = 48000
    /// In frames.
    public var periodFrames = 64
    /// Physical ports that pretend to be a card's inputs, which are silent. 0…256.
    public var captureChannels = 2
    /// Physical ports that pretend to be a card's outputs. 0…256.
    public var playbackChannels = 2
    /// In sync mode the server waits for all clients before it delivers, for twenty periods: a cycle that is no later is not skipped.
    public var isSync = false
    /// Whether the server asks the kernel for real-time scheduling.
    public var isRealtime = true

    /// 64 frames at 48 kHz on the dummy backend, asynchronous, two channels each way.
    public init() {}

    /// In hertz.
    public static let sampleRates = 1000...768_000
    /// Shorter ones keep the dummy backend so busy, in real time, that the machine does nothing else.
    public static let periods = 16...8192

    func check() throws(JackError) {
        func check(_ value: Int, _ range: ClosedRange<Int>, _ what: String) throws(JackError) {
            guard range.contains(value) else {
                throw JackError(
                    .invalidRequest, ServerProcess.operation,
                    "\(what) of \(value) is out of range; use \(range.lowerBound) to \(range.upperBound)")
            }
        }
        try check(sampleRate, Self.sampleRates, "a sample rate")
        try check(periodFrames, Self.periods, "a period")
        try check(captureChannels, 0...256, "a number of capture channels")
        try check(playbackChannels, 0...256, "a number of playback channels")
    }

    /// So many clients are to find room that have as many ports as the card.
    package var clients = 2
    /// Whether a server in sync mode waits five seconds for a client that is held up, and not twenty periods, before it skips
    /// cycles.
    package var isPatient = false
    /// JACK's own number: they take 105 MB, more than a container has, and start more slowly.
    package static let mostPorts = 2048
    /// Whether they can, and one beside that has few.
    package var hasRoom: Bool { clientPorts + 32 <= Self.mostPorts }
    private var clientPorts: Int { (1 + clients) * (captureChannels + playbackChannels) }

    /// How many ports all clients may have together, the physical ones among them. A crowd finds room beside.
    var ports: Int { min(Self.mostPorts, 256 + clientPorts) }

    func arguments(name: String) -> [String] {
        var arguments = ["jackd", "-n", name, isRealtime ? "-R" : "-r"]
        arguments += ["-p", "\(ports)"]
        if isSync { arguments.append("-S") }
        // It takes milliseconds, and waits ten times as long in sync mode.
        if isSync && isPatient { arguments += ["-t", "500"] }
        arguments += ["-d", "dummy", "-r", "\(sampleRate)", "-p", "\(periodFrames)"]
        arguments += ["-C", "\(captureChannels)", "-P", "\(playbackChannels)"]
        return arguments
    }
}

/// A private JACK server on the dummy backend: a jackd of our own, as a child process.
///
/// It ends with `stop`, with the value, and with our process, however that ends; nothing of it is left in shared
/// memory, but where our process is killed, perhaps the few bytes of each client's semaphore: the next server removes
/// those. JACK keeps at most eight servers on a machine.
public final class Server: Sendable {
    /// The server's name, for clients to find it by. Unique on the machine.
    public let name: String
    /// What it was started with.
    public let configuration: ServerConfiguration
    private let process: ServerProcess

    private static let started = Atomic<Int>(0)
    private static let family = "iounit-"

    /// Starts a server and waits until it answers.
    ///
    /// - Parameter patience: how long to wait for an answer, in milliseconds.
    /// - Throws: `programMissing`, `invalidRequest`, `serverFailed` with what the server said.
    ///
    /// Thread: control.
    public convenience init(
        _ configuration: ServerConfiguration = ServerConfiguration(), patience: Int = 15_000
    ) throws(JackError) {
        let number = Self.started.add(1, ordering: .relaxed).newValue
        try self.init(configuration, name: "\(Self.family)\(getpid())-\(number)", patience: patience)
    }

    /// Starts one that takes the place of another, by the name of that.
    package init(
        _ configuration: ServerConfiguration, name: String, patience: Int = 15_000
    ) throws(JackError) {
        try configuration.check()
        try LibJack.checkLibrary(for: ServerProcess.operation)
        guard !LibJack.isPipeWire else {
            throw JackError(
                .invalidRequest, ServerProcess.operation,
                "this program runs on PipeWire's libjack, which reaches no jackd; run it without pw-jack, or on PipeWire "
                    + "itself")
        }
        if let obstacle = RegistryLock.obstacle() {
            throw JackError(.resources, ServerProcess.operation, obstacle)
        }
        self.name = name
        self.configuration = configuration
        ServerLeftovers.sweep(family: Self.family)
        process = try ServerProcess.start(
            configuration.arguments(name: name), serverName: name, patience: patience, ports: configuration.ports)
    }

    deinit { process.stop() }

    /// The server's process number.
    public var processIdentifier: Int32 { process.identifier }

    /// Whether the process still runs.
    public var isRunning: Bool { process.isRunning }

    /// What the server has said on its standard output and error; the last 200 lines.
    public var log: [String] { process.log }

    /// Ends the server and waits until it is gone. Calling it again does nothing. Thread: control.
    public func stop() { process.stop() }

    /// Sends the server a signal, for tests of what its clients do then. Thread: control.
    public func signal(_ number: Int32) { process.signal(number) }
}

import AudioDSP
import CommandSyntax

/// What messages of OSC mean: the addresses of a run, the replies, and the subscriptions. It knows of
/// no socket.
///
/// Thread: control.
struct OSCAddressSpace<Peer: Hashable> {
    typealias Topic = OSCSubscriptions<Peer>.Topic

    let controls: ControlTable
    let figures: [OSCFigure]
    private(set) var subscriptions = OSCSubscriptions<Peer>()
    /// The highest levels since each was told, and since somebody asked.
    private var heard: [Peer: OSCLevels] = [:]
    private var queried: OSCLevels
    /// Messages that changed something, and those that were answered with an error.
    private(set) var changes: UInt64 = 0
    private(set) var refusals: UInt64 = 0

    static var root: String { "/iounit" }
    /// So much of an address is answered: an answer is no larger than a sentence.
    private static var mostOfAddress: Int { 200 }

    private let silent: OSCLevels
    private let isOwn: (Peer) -> Bool

    /// - Parameters:
    ///   - levels: silence, of as many inputs and outputs as there are.
    ///   - isOwn: whether what is sent to a peer comes back to this run.
    init(
        _ controls: ControlTable, _ figures: [OSCFigure], levels: OSCLevels,
        isOwn: @escaping (Peer) -> Bool
    ) {
        (self.controls, self.figures, queried, silent) = (controls, figures, levels, levels)
        self.isOwn = isOwn
    }

    /// Acts on a message.
    ///
    /// - Returns: what its sender is answered.
    mutating func answer(_ message: OSCMessage, from peer: Peer, atNanoseconds now: UInt64) -> [OSCMessage] {
        do throws(OSCRefusal) {
            return try perform(message, peer, now)
        } catch {
            refusals += 1
            return [
                OSCMessage(
                    "\(Self.root)/error", .text(String(message.address.prefix(Self.mostOfAddress))),
                    .text(error.sentence))
            ]
        }
    }

    private mutating func perform(
        _ message: OSCMessage, _ peer: Peer, _ now: UInt64
    ) throws(OSCRefusal) -> [OSCMessage] {
        guard let name = Self.name(message.address) else {
            throw OSCRefusal("addresses begin with \(Self.root)/; \(Self.root)/list tells all")
        }
        switch name {
        // Replies, of another run or of this one. Answering a reply could make an endless loop.
        case "error", "list/end", "meters/in", "meters/out", "subscribed": return []
        case "list" where !message.arguments.isEmpty: return []
        case "", "list": return list()
        case "meters":
            guard message.arguments.isEmpty else { throw Self.readOnly(name) }
            return queried.take(silent)
        case "subscribe": return try subscribe(message.arguments, peer, now)
        case "unsubscribe":
            let topic = message.arguments.first.flatMap(\.text).flatMap { Topic(rawValue: $0) }
            guard message.arguments.isEmpty || topic != nil else { throw OSCRefusal(Self.topics) }
            guard message.arguments.count <= 1 else { throw OSCRefusal(Self.senderAlone) }
            subscriptions.remove(peer, topic)
            return []
        default: break
        }
        if let figure = figures.first(where: { $0.name == name }) {
            guard message.arguments.isEmpty else { throw Self.readOnly(name) }
            return [OSCMessage(message.address, figure.read())]
        }
        do throws(ControlError) {
            return try set(controls.control(name), message)
        } catch {
            if case .unknown = error {
                let near = nearest(to: name, among: names).map { "; did you mean \(Self.root)/\($0)?" }
                throw OSCRefusal("there is no such address\(near ?? "; \(Self.root)/list tells all")")
            }
            throw OSCRefusal(error.description)
        }
    }

    /// Without an argument a control tells its value, and an action is done.
    private mutating func set(_ control: Control, _ message: OSCMessage) throws(ControlError) -> [OSCMessage] {
        if message.arguments.isEmpty {
            if control.kind == .action {
                try controls.set(control.name, .action, by: .osc)
                changes += 1
                return []
            }
            return [OSCMessage(message.address, Self.argument(control.get()))]
        }
        guard message.arguments.count == 1, let value = message.arguments[0].value(for: control) else {
            throw .wrongValue(control.name, takes: control.info.takes)
        }
        // A button that is let go sends a zero.
        if control.kind == .action, message.arguments[0].isZero { return [] }
        try controls.set(control.name, value, by: .osc)
        changes += 1
        return []
    }

    private static func readOnly(_ name: String) -> OSCRefusal { OSCRefusal("\(name) can be read and not set") }

    private mutating func subscribe(
        _ arguments: [OSCMessage.Argument], _ peer: Peer, _ now: UInt64
    ) throws(OSCRefusal) -> [OSCMessage] {
        typealias Rules = OSCSubscriptions<Peer>
        guard let topic = arguments.first.flatMap(\.text).flatMap({ Topic(rawValue: $0) }) else {
            throw OSCRefusal(Self.topics)
        }
        guard arguments.count <= 3 else { throw OSCRefusal(Self.senderAlone) }
        guard !isOwn(peer) else { throw OSCRefusal("this run itself listens at that port") }
        let numbers = arguments.dropFirst().map(\.number)
        let interval = numbers.first.map { $0.flatMap(Int.init(exactly:)) } ?? Rules.usualInterval
        let lease = numbers.count > 1 ? numbers[1].flatMap(Int.init(exactly:)) : Rules.usualLease
        guard let interval, Rules.intervals.contains(interval) else {
            throw OSCRefusal(
                "the interval is \(Rules.intervals.lowerBound) to \(Rules.intervals.upperBound) ms, a whole number")
        }
        guard let lease, Rules.leases.contains(lease) else {
            throw OSCRefusal(
                "the lease is \(Rules.leases.lowerBound) to \(Rules.leases.upperBound) s, a whole number")
        }
        guard
            subscriptions.add(
                peer, topic, intervalMilliseconds: interval, leaseSeconds: lease, atNanoseconds: now)
        else { throw OSCRefusal("there are \(Rules.most) subscriptions already; try again when a lease has run out") }
        return [
            OSCMessage(
                "\(Self.root)/subscribed", .text(topic.rawValue), .integer(Int32(interval)), .integer(Int32(lease)))
        ]
    }

    private static var topics: String {
        "what can be subscribed to is \(Topic.allCases.map(\.rawValue).joined(separator: ", ")), "
            + "with an interval in ms and a lease in s after it"
    }

    private static var senderAlone: String { "news go to the port that asks, and no other one; ask from there" }

    /// One message for each address, with its kind, what it is, and what it takes; then their number.
    private func list() -> [OSCMessage] {
        var rows: [OSCMessage] = controls.all.map { control in
            let (kind, rest): (String, [OSCMessage.Argument]) =
                switch control.kind {
                case .number(let range, let unit, _, _):
                    ("number", [.text(unit), .float(Float(range.lowerBound)), .float(Float(range.upperBound))])
                case .choice(let words): ("choice", words.map { .text($0) })
                case .flag: ("switch", [])
                case .action: ("action", [])
                }
            let head = [control.name, kind, control.info.summary]
            return row(head, rest)
        }
        rows += figures.map { row([$0.name, "figure", $0.summary], []) }
        rows.append(row(["meters", "figure", "highest samples of inputs and outputs since the last query, dBFS"], []))
        return rows + [OSCMessage("\(Self.root)/list/end", .integer(Int32(clamping: rows.count)))]
    }

    private func row(_ head: [String], _ rest: [OSCMessage.Argument]) -> OSCMessage {
        OSCMessage(
            "\(Self.root)/list", [.text("\(Self.root)/\(head[0])")] + head.dropFirst().map { .text($0) } + rest)
    }

    private var names: [String] {
        controls.all.map(\.name) + figures.map(\.name) + ["list", "meters", "subscribe", "unsubscribe"]
    }

    mutating func add(_ levels: OSCLevels) {
        queried.merge(levels)
        let peers = Set(subscriptions.all.lazy.filter { $0.topic == .meters }.map(\.peer))
        heard = heard.filter { peers.contains($0.key) }
        for peer in peers { heard[peer, default: silent].merge(levels) }
    }

    /// What is to be sent now, and to whom.
    mutating func takeDue(atNanoseconds now: UInt64) -> [(peer: Peer, message: OSCMessage)] {
        var due: [(peer: Peer, message: OSCMessage)] = []
        for peer in subscriptions.takeNewcomers() {
            due += controls.all.compactMap { Self.message($0, $0.get()) }.map { (peer, $0) }
        }
        for subscription in subscriptions.takeDue(atNanoseconds: now) {
            let messages: [OSCMessage] =
                switch subscription.topic {
                case .meters: heard[subscription.peer, default: silent].take(silent)
                case .figures: figures.map { OSCMessage("\(Self.root)/\($0.name)", $0.read()) }
                case .controls: []
                }
            due += messages.map { (subscription.peer, $0) }
        }
        return due
    }

    /// What tells that a control has changed; `nil` of an action.
    static func message(_ control: Control, _ value: ParameterValue) -> OSCMessage? {
        value == .action ? nil : OSCMessage("\(root)/\(control.name)", argument(value))
    }

    private static func argument(_ value: ParameterValue) -> OSCMessage.Argument {
        switch value {
        case .number(let number): .float(Float(number))
        case .choice(let word): .text(word)
        case .flag(let isOn): .integer(isOn ? 1 : 0)
        case .action: .integer(1)
        }
    }

    /// What stands behind the root; `nil` of another root.
    private static func name(_ address: String) -> String? {
        if address == root { return "" }
        return address.hasPrefix(root + "/") ? String(address.dropFirst(root.count + 1)) : nil
    }
}

/// Why a message is answered with an error.
private struct OSCRefusal: Error {
    let sentence: String
    init(_ sentence: String) { self.sentence = sentence }
}

/// The highest samples of inputs and outputs, linear.
struct OSCLevels: Equatable {
    var inputs: [Float]
    var outputs: [Float]

    mutating func merge(_ other: OSCLevels) {
        inputs = zip(inputs, other.inputs).map { max($0, $1) }
        outputs = zip(outputs, other.outputs).map { max($0, $1) }
    }

    /// Tells them in decibels, and begins again.
    fileprivate mutating func take(_ silent: OSCLevels) -> [OSCMessage] {
        defer { self = silent }
        return [("in", inputs), ("out", outputs)].filter { !$0.1.isEmpty }.map { side, levels in
            OSCMessage(
                "\(OSCAddressSpace<Int>.root)/meters/\(side)",
                levels.map { OSCFigure.level(Decibels.decibels(Double($0))) })
        }
    }
}

extension OSCMessage.Argument {
    fileprivate var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .float(let value): value.decimal
        case .flag(let isOn): isOn ? 1 : 0
        case .text, .other: nil
        }
    }

    fileprivate var isZero: Bool { number == 0 }

    /// What it means to a control; `nil` where it means nothing.
    fileprivate func value(for control: Control) -> ParameterValue? {
        switch (control.kind, self) {
        case (.choice, .text(let word)): .choice(word)
        case (.flag, .text("on")): .flag(true)
        case (.flag, .text("off")): .flag(false)
        // A button that is wired to it by mistake.
        case (.number, .flag), (.choice, .flag): nil
        // No number is no switch that is on either.
        default: number.flatMap { $0.isFinite ? control.info.value($0) : nil }
        }
    }
}

import AudioDSP
import CLilv

/// A port of a plug-in.
public struct PluginPort: Sendable, Equatable {
    /// What goes through a port.
    public enum Kind: String, Sendable {
        /// `cv` has the form of sound, and is treated as such.
        case audio, cv, control, atom
        /// One that this host knows nothing of.
        case other
    }

    /// What LV2 says that a port is for, beside the sound.
    public enum Purpose: String, Sendable {
        /// It shows the plug-in's latency in frames.
        case latency
        /// It switches the plug-in off and on without a click.
        case enabled
        /// It tells the plug-in whether no clock drives it.
        case freeWheeling
        /// It takes sound that controls the plug-in, and is not heard.
        case sideChain
    }

    /// Among the plug-in's ports, from 0.
    public let index: Int
    /// As in presets; unique within the plug-in.
    public let symbol: String
    /// For people.
    public let name: String
    /// What goes through it.
    public let kind: Kind
    /// Whether the plug-in reads it; else it writes to it.
    public let isInput: Bool
    /// Whether it may be left unconnected.
    public let isOptional: Bool
    /// `nil` where it is for nothing beside the sound.
    public let purpose: Purpose?
    /// Of control ports: what it can be set to, or what it shows. Its name is the symbol, its summary the port's name.
    public let parameter: ParameterInfo?
    /// Whether it is of events, and takes or makes those of MIDI.
    public let hasMIDI: Bool
    /// The numbers that the words of a choice stand for.
    let choices: [Double]
    let isInteger: Bool
    /// How much memory an atom port asks for at least; up to 4 GB.
    let minimumBytes: Int

    /// The memory that an atom port has: 8192 bytes, where it asks for no more.
    var eventBytes: Int { kind == .atom ? max(8192, minimumBytes) : 0 }

    /// Whether it is a channel of the sound.
    var isChannel: Bool { (kind == .audio || kind == .cv) && !isOptional && purpose != .sideChain }

    /// What the port gets for a value of its parameter.
    public func number(_ value: ParameterValue) -> Float {
        switch value {
        case .number(let number): Float(isInteger ? whole(number) : number)
        case .flag(let isOn): isOn ? 1 : 0
        case .choice(let word): Float(parameter?.words.firstIndex(of: word).map { choices[$0] } ?? 0)
        case .action: 1
        }
    }

    /// The nearest whole number in the range; the nearest number in it, where it has no whole one.
    private func whole(_ number: Double) -> Double {
        guard case .number(let range, _, _, _) = parameter?.kind else { return number.rounded() }
        let (least, most) = (range.lowerBound.rounded(.up), range.upperBound.rounded(.down))
        let wholes = least <= most ? least...most : range
        return min(max(number.rounded(), wholes.lowerBound), wholes.upperBound)
    }

    /// What the parameter stands at where the port has a number: of words, the one whose number is nearest.
    func value(_ number: Float) -> ParameterValue {
        guard let parameter else { return .number(number.decimal) }
        switch parameter.kind {
        case .number: return .number(number.decimal)
        case .flag: return .flag(number > 0)
        case .action: return .action
        case .choice(let words):
            // Within the range first: to an infinite number all are as near.
            let wanted = min(max(Double(number), choices.first ?? 0), choices.last ?? 0)
            let nearest = choices.indices.min { abs(choices[$0] - wanted) < abs(choices[$1] - wanted) }
            return .choice(nearest.map { words[$0] } ?? "")
        }
    }

    /// A number from elsewhere, as a preset, moved into the port's range; `nil` of NaN.
    func inRange(_ number: Float) -> Float? {
        guard !number.isNaN, let parameter else { return nil }
        if case .number(let range, _, _, _) = parameter.kind {
            return self.number(.number(min(max(number.decimal, range.lowerBound), range.upperBound)))
        }
        return self.number(value(number))
    }
}

extension ParameterInfo {
    /// Those of a choice.
    package var words: [String] { if case .choice(let words) = kind { words } else { [] } }
}

/// Reads ports.
@safe struct PortReader {
    let lilv: Lilv
    /// The plug-in's.
    let plugin: OpaquePointer
    /// In hertz: some ranges are parts of it.
    let sampleRate: Int

    /// How many a plug-in may have.
    static let mostPorts = 4096

    /// Whether the greatest index is beyond that. To be asked before `ports`: once lilv is asked for any, it makes room up to that
    /// index, which it takes as one without a sign, and crashes where it is negative.
    func hasTooMany() -> Bool {
        var hasTooMany = false
        _ = unsafe lilv.with(uri: LV2.core + "index") { index in
            unsafe lilv.with(uri: LV2.core + "port") { predicate in
                unsafe lilv.each(freeing: unsafe lilv_plugin_get_value(plugin, predicate)) { port in
                    unsafe lilv.each(freeing: unsafe lilv_world_find_nodes(lilv.world, port, index, nil)) { number in
                        if unsafe UInt32(bitPattern: lilv_node_as_int(number)) >= Self.mostPorts { hasTooMany = true }
                    }
                }
            }
        }
        return hasTooMany
    }

    func ports() -> [PluginPort] {
        var symbols: Set<String> = []
        return unsafe (0..<lilv_plugin_get_num_ports(plugin)).compactMap { index in
            guard let port = unsafe lilv_plugin_get_port_by_index(plugin, index) else { return nil }
            // A bundle may have a symbol twice, or none.
            var symbol = unsafe lilv.text(unsafe lilv_port_get_symbol(plugin, port)) ?? "port_\(index)"
            while !symbols.insert(symbol).inserted { symbol += "_\(index)" }
            return unsafe read(port, Int(index), symbol)
        }
    }

    private func read(_ port: OpaquePointer, _ index: Int, _ symbol: String) -> PluginPort {
        let isInput = unsafe isA(port, LV2.core + "InputPort")
        let kinds: [(String, PluginPort.Kind)] = [
            (LV2.core + "AudioPort", .audio), (LV2.core + "CVPort", .cv), (LV2.core + "ControlPort", .control),
            (LV2.atom + "AtomPort", .atom),
        ]
        let kind = kinds.first { unsafe isA(port, $0.0) }?.1 ?? .other
        let name = unsafe lilv.text(freeing: unsafe lilv_port_get_name(plugin, port)) ?? symbol
        var (parameter, choices): (ParameterInfo?, [Double]) = (nil, [])
        if kind == .control { (parameter, choices) = unsafe self.parameter(port, symbol, name) }
        return unsafe PluginPort(
            index: index, symbol: symbol, name: name, kind: kind, isInput: isInput,
            isOptional: unsafe has(port, LV2.core + "connectionOptional"),
            purpose: unsafe purpose(port, isInput), parameter: parameter,
            hasMIDI: lilv.with(uri: LV2.midiEvent) { unsafe lilv_port_supports_event(plugin, port, $0) } ?? false,
            choices: choices, isInteger: unsafe has(port, LV2.core + "integer"),
            minimumBytes: unsafe minimumBytes(port))
    }

    private func minimumBytes(_ port: OpaquePointer) -> Int {
        let told = unsafe lilv.with(uri: LV2.resizePort + "minimumSize") { predicate in
            unsafe lilv.text(freeing: unsafe lilv_port_get(plugin, port, predicate))
        }
        // As text, because lilv has whole numbers of 32 bits: of 3 GB it makes less than nothing.
        guard let bytes = told.flatMap({ Double(decimal: $0) }), bytes > 0 else { return 0 }
        return Int(min(bytes.rounded(.up), 4_294_967_296))
    }

    private func purpose(_ port: OpaquePointer, _ isInput: Bool) -> PluginPort.Purpose? {
        let designation = unsafe lilv.with(uri: LV2.core + "designation") { predicate in
            unsafe lilv.text(freeing: unsafe lilv_port_get(plugin, port, predicate))
        }
        switch designation {
        case LV2.core + "latency" where !isInput: return .latency
        case LV2.core + "enabled" where isInput: return .enabled
        case LV2.core + "freeWheeling" where isInput: return .freeWheeling
        default: break
        }
        if !isInput, unsafe has(port, LV2.core + "reportsLatency") { return .latency }
        return unsafe isInput && has(port, LV2.core + "isSideChain") ? .sideChain : nil
    }

    private func parameter(_ port: OpaquePointer, _ symbol: String, _ name: String) -> (ParameterInfo, [Double]) {
        var (initialNode, lowNode, highNode): (OpaquePointer?, OpaquePointer?, OpaquePointer?) = (nil, nil, nil)
        unsafe lilv_port_get_range(plugin, port, &initialNode, &lowNode, &highNode)
        // The bounds alone, and not the initial value, are parts of the rate.
        let scale = unsafe has(port, LV2.core + "sampleRate") ? Double(sampleRate) : 1
        let (lowest, highest) = unsafe (lilv.number(freeing: unsafe lowNode), lilv.number(freeing: unsafe highNode))
        let initial = unsafe lilv.number(freeing: unsafe initialNode)
        let isToggled = unsafe has(port, LV2.core + "toggled")
        // No port gets an infinite number.
        let greatest = Float.greatestFiniteMagnitude.decimal
        func atRate(_ bound: Double) -> Double { min(max(bound * scale, -greatest), greatest) }
        // What is set of an enumeration is one of its numbers. They alone are its range where no bound is named.
        if unsafe !isToggled && has(port, LV2.core + "enumeration") {
            let (from, to) = (lowest.map(atRate) ?? -greatest, highest.map(atRate) ?? greatest)
            let points = unsafe scalePoints(port).filter { $0.number >= from && $0.number <= to }
            let start = initial ?? 0
            if let first = points.min(by: { abs($0.number - start) < abs($1.number - start) }) {
                return (.choice(symbol, name, points.map(\.word), initial: first.word), points.map(\.number))
            }
        }
        // Where one bound alone is named, the other one is 0 or 1, or lies 1 beyond it. So it is in pluginprobe's `control_read`.
        let least = lowest ?? highest.map { $0 > 0 ? 0 : $0 - 1 } ?? 0
        let most = max(highest ?? max(1, least + 1), least)
        let (low, high) = (atRate(least), atRate(most))
        let range = low...high
        let start = min(max(initial ?? 0, low), high)
        if isToggled { return (.flag(symbol, name, initial: start > 0), []) }
        let isLogarithmic = unsafe has(port, LV2.portProperties + "logarithmic") && low > 0 && high > low
        return (
            .number(
                symbol, name, range, unit: unsafe unit(port), taper: isLogarithmic ? .logarithmic : .linear,
                initial: start), []
        )
    }

    /// Whether one has a number and a label: lilv ends the program where a port has scale points and none of them has both.
    private func hasScalePoints(_ port: OpaquePointer) -> Bool {
        func has(_ point: OpaquePointer, _ uri: String) -> Bool {
            unsafe lilv.with(uri: uri) { unsafe lilv.text(freeing: unsafe lilv_world_get(lilv.world, point, $0, nil)) }
                != nil
        }
        var hasAny = false
        _ = unsafe lilv.with(uri: LV2.core + "scalePoint") { predicate in
            unsafe lilv.each(freeing: unsafe lilv_port_get_value(plugin, port, predicate)) { point in
                if unsafe has(point, LV2.value) && has(point, LV2.label) { hasAny = true }
            }
        }
        return hasAny
    }

    /// In the order of their numbers, each number and each word once.
    private func scalePoints(_ port: OpaquePointer) -> [(number: Double, word: String)] {
        guard unsafe hasScalePoints(port), let points = unsafe lilv_port_get_scale_points(plugin, port) else {
            return []
        }
        defer { unsafe lilv_scale_points_free(points) }
        var found: [(number: Double, word: String)] = []
        var numbers: Set<Double> = []
        var place = unsafe lilv_scale_points_begin(points)
        while unsafe !lilv_scale_points_is_end(points, place) {
            let point = unsafe lilv_scale_points_get(points, place)
            unsafe place = unsafe lilv_scale_points_next(points, place)
            guard let number = unsafe lilv.number(unsafe lilv_scale_point_get_value(point)),
                let label = unsafe lilv.text(unsafe lilv_scale_point_get_label(point)),
                numbers.insert(number).inserted
            else { continue }
            found.append((number, Self.word(label)))
        }
        found.sort { $0.number < $1.number }
        let uses = found.reduce(into: [:]) { $0[$1.word, default: 0] += 1 }
        var words: Set<String> = []
        return found.map { point in
            var word = point.word
            let isTwice = word.isEmpty || uses[word, default: 0] > 1
            if isTwice { word += "\(word.isEmpty ? "" : "-")\(shortest(point.number))" }
            // What was made so may be another one's label.
            while !words.insert(word).inserted { word += "+" }
            return (point.number, word)
        }
    }

    /// A label as one word, which an option can hold: "Low Pass, 12 dB" becomes low-pass-12-db.
    static func word(_ label: String) -> String {
        let parts = label.lowercased().split { !($0.isLetter || $0.isNumber || "+-./#%".contains($0)) }
        return parts.joined(separator: "-")
    }

    private static let knownUnits = [
        "db": "dB", "hz": "Hz", "khz": "kHz", "mhz": "MHz", "ms": "ms", "s": "s", "min": "min", "pc": "%", "coef": "",
        "semitone12TET": "semitones", "cent": "cents", "oct": "octaves", "bpm": "BPM", "degree": "°", "frame": "frames",
        "midiNote": "", "bar": "bars", "beat": "beats", "m": "m", "cm": "cm", "mm": "mm",
    ]

    private func unit(_ port: OpaquePointer) -> String {
        let unit = unsafe lilv.with(uri: LV2.units + "unit") { unsafe lilv_port_get(plugin, port, $0) }
        defer { unsafe lilv_node_free(unit) }
        guard let unit = unsafe unit, let uri = unsafe lilv.text(unsafe unit) else { return "" }
        if uri.hasPrefix(LV2.units) { return Self.knownUnits[String(uri.dropFirst(LV2.units.count))] ?? "" }
        return unsafe lilv.with(uri: LV2.units + "symbol") { symbol in
            unsafe lilv.text(freeing: unsafe lilv_world_get(lilv.world, unit, symbol, nil))
        }?.map { String($0.prefix(12)) } ?? ""
    }

    private func isA(_ port: OpaquePointer, _ type: String) -> Bool {
        unsafe lilv.with(uri: type) { unsafe lilv_port_is_a(plugin, port, $0) } ?? false
    }

    private func has(_ port: OpaquePointer, _ property: String) -> Bool {
        unsafe lilv.with(uri: property) { unsafe lilv_port_has_property(plugin, port, $0) } ?? false
    }
}

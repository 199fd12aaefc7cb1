import AudioDSP
import CLilv

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
        var ports: [PluginPort] = unsafe (0..<lilv_plugin_get_num_ports(plugin)).compactMap { index in
            guard let port = unsafe lilv_plugin_get_port_by_index(plugin, index) else { return nil }
            // A bundle may have a symbol twice, or none.
            var symbol = unsafe lilv.text(unsafe lilv_port_get_symbol(plugin, port)) ?? "port_\(index)"
            while !symbols.insert(symbol).inserted { symbol += "_\(index)" }
            return unsafe read(port, Int(index), symbol)
        }
        markChannels(&ports)
        renameParameters(&ports)
        return ports
    }

    /// `bypass` is the host's parameter, and `preset` a word of --plugin: inputs with these symbols get another name, which no
    /// other input has.
    private func renameParameters(_ ports: inout [PluginPort]) {
        let symbols = Set(ports.filter(\.isInput).map(\.symbol))
        for place in ports.indices where ports[place].isInput && ["bypass", "preset"].contains(ports[place].symbol) {
            var name = ports[place].symbol
            repeat { name += "_port" } while symbols.contains(name)
            ports[place].parameter?.name = name
        }
    }

    /// Sound that must be connected is a channel, side chains apart. What may be left unconnected is one where its group says so:
    /// the plug-in's main input or output, or one in which a port of the same direction must be connected. Calf's stereo plug-ins
    /// declare their right channel so, and their side chains likewise but for the group.
    private func markChannels(_ ports: inout [PluginPort]) {
        let mainGroups = Set(
            ["mainInput", "mainOutput"].flatMap { name in
                unsafe lilv.with(uri: LV2.portGroups + name) { predicate in
                    unsafe lilv.texts(freeing: unsafe lilv_plugin_get_value(plugin, predicate))
                } ?? []
            })
        func isSound(_ port: PluginPort) -> Bool {
            (port.kind == .audio || port.kind == .cv) && port.purpose != .sideChain
        }
        let required = ports.filter { isSound($0) && !$0.isOptional }
        for place in ports.indices where isSound(ports[place]) {
            let port = ports[place]
            ports[place].isChannel =
                !port.isOptional
                || port.group.map { group in
                    mainGroups.contains(group)
                        || required.contains { $0.group == group && $0.isInput == port.isInput }
                } ?? false
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
        let isTrigger = unsafe isInput && kind == .control && has(port, LV2.portProperties + "trigger")
        var (parameter, choices): (ParameterInfo?, [Double]) = (nil, [])
        if kind == .control { (parameter, choices) = unsafe self.parameter(port, symbol, name, isTrigger: isTrigger) }
        return unsafe PluginPort(
            index: index, symbol: symbol, name: name, kind: kind, isInput: isInput,
            isOptional: unsafe has(port, LV2.core + "connectionOptional"),
            purpose: unsafe purpose(port, isInput), parameter: parameter,
            restNumber: isTrigger ? unsafe restNumber(port) : nil,
            hasMIDI: lilv.with(uri: LV2.midiEvent) { unsafe lilv_port_supports_event(plugin, port, $0) } ?? false,
            choices: choices, minimumBytes: unsafe minimumBytes(port),
            group: unsafe text(port, LV2.portGroups + "group"))
    }

    /// Of a port's property that is a URI or a text; `nil` where it has none.
    private func text(_ port: OpaquePointer, _ property: String) -> String? {
        unsafe lilv.with(uri: property) { predicate in
            unsafe lilv.text(freeing: unsafe lilv_port_get(plugin, port, predicate))
        }
    }

    private func restNumber(_ port: OpaquePointer) -> Float {
        let initial = unsafe lilv.with(uri: LV2.core + "default") { predicate in
            unsafe lilv.number(freeing: unsafe lilv_port_get(plugin, port, predicate))
        }
        return Float(initial ?? 0)
    }

    private func minimumBytes(_ port: OpaquePointer) -> Int {
        let told = unsafe text(port, LV2.resizePort + "minimumSize")
        // As text, because lilv has whole numbers of 32 bits: of 3 GB it makes less than nothing.
        guard let bytes = told.flatMap({ Double(decimal: $0) }), bytes > 0 else { return 0 }
        return Int(min(bytes.rounded(.up), 4_294_967_296))
    }

    private func purpose(_ port: OpaquePointer, _ isInput: Bool) -> PluginPort.Purpose? {
        switch unsafe text(port, LV2.core + "designation") {
        case LV2.core + "latency" where !isInput: return .latency
        case LV2.core + "enabled" where isInput: return .enabled
        case LV2.core + "freeWheeling" where isInput: return .freeWheeling
        default: break
        }
        if !isInput, unsafe has(port, LV2.core + "reportsLatency") { return .latency }
        return unsafe isInput && has(port, LV2.core + "isSideChain") ? .sideChain : nil
    }

    private func parameter(
        _ port: OpaquePointer, _ symbol: String, _ name: String, isTrigger: Bool
    ) -> (ParameterInfo, [Double]) {
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
        // A value of an enumeration is one of its numbers. They alone are its range where no bound is named.
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
        if isTrigger && (isToggled || range == 0...1) { return (.action(symbol, name), []) }
        if isToggled { return (.flag(symbol, name, initial: start > 0), []) }
        let isLogarithmic = unsafe has(port, LV2.portProperties + "logarithmic") && low > 0 && high > low
        return (
            .number(
                symbol, name, range, unit: unsafe unit(port), taper: isLogarithmic ? .logarithmic : .linear,
                step: unsafe has(port, LV2.core + "integer") ? 1 : nil, initial: start), []
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

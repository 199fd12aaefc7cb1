import CLilv

/// What a plug-in says of itself.
public struct PluginInfo: Sendable, Equatable {
    /// What names it in all the world, as `http://drobilla.net/plugins/fomp/autowah`.
    public let uri: String
    /// The bundle's name and the last part of the URI, as `fomp/autowah`; `nil` where another plug-in would have the same.
    public let shortName: String?
    /// For people, in the user's language where the bundle has that.
    public let name: String
    /// As "Filter Plugin".
    public let category: String
    /// Empty where the bundle does not say.
    public let author: String
    /// The path of the folder that it is in; empty where that is not known.
    public let bundle: String
    /// The path of its shared library; empty where the bundle does not say.
    public let library: String
    /// All of them, in the order of their indices; none where they are more than 4096, which this host does not connect.
    public let ports: [PluginPort]
    /// What a host must offer, as URIs.
    public let requiredFeatures: [String]
    /// Whether it says that it may run on an audio thread. That is a claim.
    public let claimsRealTime: Bool
    /// Whether the host must load the plug-in's default state (`state:loadDefaultState`).
    let wantsDefaultState: Bool
    /// Whether it has more ports than are read.
    private let hasTooManyPorts: Bool
    /// Whether its bundle describes ports, and one of them so that lilv knows none.
    private let hasFaultyPorts: Bool

    /// How many channels of sound it takes: side chains apart, and ports that may be left unconnected and are in no group with a
    /// channel.
    public var inputs: Int { channels(areInputs: true).count }
    /// How many channels of sound it makes, counted likewise.
    public var outputs: Int { channels(areInputs: false).count }
    /// How many of the first ones it cannot do without: the ones behind them may be left unconnected.
    var leastInputs: Int { Self.least(channels(areInputs: true)) }
    var leastOutputs: Int { Self.least(channels(areInputs: false)) }
    /// The control ports that are parameters: inputs, but for those with a purpose of their own.
    public var controls: [PluginPort] { ports.filter { $0.kind == .control && $0.isInput && $0.purpose == nil } }
    /// The control ports that show something.
    public var meters: [PluginPort] { ports.filter { $0.kind == .control && !$0.isInput && $0.purpose == nil } }
    /// Whether it takes MIDI.
    public var hasMIDIInput: Bool { ports.contains { $0.hasMIDI && $0.isInput } }
    /// Whether it makes MIDI.
    public var hasMIDIOutput: Bool { ports.contains { $0.hasMIDI && !$0.isInput } }
    /// Whether it tells its latency.
    public var reportsLatency: Bool { ports.contains { $0.purpose == .latency } }

    /// Names for people: the short one where it has one.
    public var shown: String { shortName ?? uri }

    private func channels(areInputs: Bool) -> [PluginPort] {
        ports.filter { $0.isChannel && $0.isInput == areInputs }
    }

    private static func least(_ channels: [PluginPort]) -> Int {
        channels.lastIndex { !$0.isOptional }.map { $0 + 1 } ?? 0
    }

    init(_ lilv: Lilv, _ plugin: OpaquePointer, shortName: String?, sampleRate: Int) {
        uri = unsafe lilv.text(unsafe lilv_plugin_get_uri(plugin)) ?? ""
        self.shortName = shortName
        name = unsafe lilv.text(freeing: unsafe lilv_plugin_get_name(plugin)) ?? ""
        category = unsafe lilv.text(unsafe lilv_plugin_class_get_label(lilv_plugin_get_class(plugin))) ?? ""
        author = unsafe lilv.text(freeing: unsafe lilv_plugin_get_author_name(plugin)) ?? ""
        bundle = unsafe lilv.path(unsafe lilv_plugin_get_bundle_uri(plugin)) ?? ""
        library = unsafe lilv.path(unsafe lilv_plugin_get_library_uri(plugin)) ?? ""
        let reader = unsafe PortReader(lilv: lilv, plugin: plugin, sampleRate: sampleRate)
        hasTooManyPorts = reader.hasTooMany()
        ports = hasTooManyPorts ? [] : reader.ports()
        let described = unsafe lilv.with(uri: LV2.core + "port") { predicate in
            unsafe lilv.texts(freeing: unsafe lilv_plugin_get_value(plugin, predicate))
        }
        hasFaultyPorts = !hasTooManyPorts && ports.isEmpty && described?.isEmpty == false
        requiredFeatures = unsafe lilv.texts(freeing: unsafe lilv_plugin_get_required_features(plugin)).sorted()
        func has(_ feature: String) -> Bool {
            unsafe lilv.with(uri: feature) { unsafe lilv_plugin_has_feature(plugin, $0) } ?? false
        }
        claimsRealTime = has(LV2.core + "hardRTCapable")
        wantsDefaultState = has(LV2.state + "loadDefaultState")
    }

    /// What the atom ports of an instance have together, at the most. Of what the tests install no port asks for more than 132 kB.
    private static let mostEventBytes = 16 << 20

    /// - Parameter reason: goes on behind its name.
    func unusable(_ reason: String) -> PluginError { PluginError(.unusable, "\(shown) \(reason)") }

    /// - Throws: `unusable` where it needs what this host has not.
    package func checkFeatures() throws(PluginError) {
        func unusable(_ reason: String) -> PluginError { self.unusable("\(reason); use another plug-in") }
        if let port = ports.first(where: { $0.kind == .other && !$0.isOptional }) {
            throw unusable("has a port \(port.symbol) of a kind that this host does not know")
        }
        // Those that were not read would not be connected, and many plug-ins would write there.
        guard !hasTooManyPorts else {
            throw unusable("has more than \(PortReader.mostPorts) ports, which this host does not connect")
        }
        guard !hasFaultyPorts else {
            throw unusable("has a port without a symbol or an index, or leaves an index out, so that none is known")
        }
        guard ports.reduce(0, { $0 + $1.eventBytes }) <= Self.mostEventBytes else {
            throw unusable("needs more than 16 MB of memory for its ports of events, which this host does not give")
        }
        let lacking = requiredFeatures.filter { !LV2.features.contains($0) }
        guard lacking.isEmpty else {
            throw unusable("requires \(lacking.joined(separator: ", ")), which this host does not offer")
        }
    }
}

import AudioDSP
import AudioIO
import AudioRealtime
import Synchronization

/// An LV2 plug-in as a node. Its input control ports are its parameters, by their symbols (see `PluginPort.parameter`); its output
/// control ports are meters.
///
/// ```swift
/// let wah = try Plugin("http://drobilla.net/plugins/fomp/autowah", channels: 2)
/// engine.attach(wah)
/// try wah.parameters.first { $0.info.name == "freq" }?.set(.number(0.3))
/// ```
/// A plug-in with as many inputs as outputs, as one of one channel, is run as often as the node has that many channels. Any other
/// is run once: its only input hears the mean of all channels, and its only output goes to all.
///
/// In an engine whose unit has MIDI ports (`EngineConfiguration.midi`) it hears what comes there, and what it makes leaves there; but
/// not in queued mode, where only `send` reaches it.
///
/// Nothing checks what a plug-in does in its `run`: it may allocate or wait. It cannot end the program, close descriptors that it did
/// not open, fork, handle signals or print to the standard output: see `takeRefusals`. NaN, infinity and values beyond 10¹³ in its output
/// become silence. Its latency is what it tells; the engine makes up for it in parallel paths, and follows where it changes.
public final class Plugin: Node {
    public let core: NodeCore
    /// What the plug-in says of itself.
    public let info: PluginInfo
    /// `bypass`, then those of its ports.
    public let parameters: [Parameter]
    private let driver: PluginDriver
    private let list: PluginList
    private let sampleRate: Int

    /// Something that a plug-in shows: an output control port.
    public struct Meter: Sendable {
        /// Its name is the port's symbol.
        public let info: ParameterInfo
        private let values: PluginControls
        private let place: Int

        init(_ info: ParameterInfo, _ values: PluginControls, _ place: Int) {
            (self.info, self.values, self.place) = (info, values, place)
        }

        /// As the last block has left it; of several instances, the first one's. Thread: any. Wait-free.
        public var value: Float { values.values[place] }
    }

    /// Loads the plug-in, and makes a first instance of it.
    ///
    /// - Parameters:
    ///   - name: its URI, or a short name as `fomp/autowah`.
    ///   - channels: 1…256; `nil` for as many as the engine has outputs.
    ///   - sampleRate: the engine's, in hertz. If the engine's rate changes, the plug-in is instantiated again; the ranges of its
    ///     parameters stay.
    ///   - maximumFrames: 1…8192. A longer block is given to the plug-in in parts.
    ///   - list: where to look; `nil` for what is installed.
    /// - Throws: `missing`; `unusable` where it needs what there is not, or cannot be loaded; `channels` where it has other ones
    ///   than `channels` can be.
    public init(
        _ name: String, channels: Int? = nil, sampleRate: Int = 48_000, maximumFrames: Int = 1024,
        in list: PluginList? = nil
    ) throws(PluginError) {
        let list = if let list { list } else { try PluginList.installed() }
        let info = try list.info(name, sampleRate: sampleRate)
        let driver = try PluginDriver(
            info, list.world, channels: channels, sampleRate: sampleRate,
            maximumFrames: max(1, min(maximumFrames, 8192)))
        (self.info, self.driver, self.list, self.sampleRate) = (info, driver, list, sampleRate)
        core = NodeCore("plug-in", channels: channels, driver: driver)
        let own = info.controls.compactMap { port in
            port.parameter.map { parameter in
                Parameter(parameter) {
                    port.value(driver.controls.values[port.index])
                } write: { value in
                    driver.controls.values.set(port.index, to: port.number(value))
                }
            }
        }
        let bypass = Parameter(
            .flag(
                "bypass",
                "pass the sound through, as late as the plug-in is; bit-exact unless the plug-in has its own switch")
        ) {
            .flag(driver.isBypassed)
        } write: { value in
            driver.isBypassed = value.isOn ?? false
        }
        parameters = [bypass] + own
    }

    /// What its output control ports show.
    public var meters: [Meter] {
        info.meters.compactMap { port in port.parameter.map { Meter($0, driver.controls, port.index) } }
    }

    /// Whether the sound goes by: by the plug-in's own switch where it has one (`lv2:enabled`), else by a fade to what came, bit
    /// for bit and as late as the plug-in is. Thread: any but audio.
    public var isBypassed: Bool {
        get { driver.isBypassed }
        set { driver.isBypassed = newValue }
    }

    /// How often the plug-in is run side by side; 0 before it is attached. Thread: any but audio.
    public var instanceCount: Int { driver.instanceCount }

    /// How much later the sound leaves than it came, as the plug-in tells, in frames. Thread: any but audio.
    public var latencyFrames: Int { driver.latencyFrames }

    /// Why the sound goes by, or the state is not what was wanted: where instances could not be made for the engine that it was
    /// attached to. Thread: any but audio.
    public var failure: PluginError? { driver.failure }

    /// Samples that were NaN, infinite or beyond 10¹³, and became silence; since it was attached. Thread: any but audio.
    public var nonFiniteSamples: UInt64 { driver.nonFiniteSamples }

    /// The longest time that its `run` took in a cycle since it was attached. Thread: any but audio.
    public var longestRun: PluginRunTime { driver.exchange?.longestRun ?? .zero }

    /// From here on it is the longest since now. Thread: any but audio.
    package func forgetRuns() { driver.exchange?.forgetRuns() }

    /// Where it began to tell another latency, since the last call: the first frame of the block, of its
    /// input; `nil` where it did not. Of several changes, the last. Thread: any but audio.
    package func takeLatencyChange() -> Int? { driver.exchange?.takeLatencyChange() }

    /// The longest since the last call. Thread: any but audio.
    package func takeRecentRun() -> PluginRunTime { driver.exchange?.takeRecentRun() ?? .zero }

    /// Has the plug-in hear a message at the first frame of its next block. Thread: any but audio.
    ///
    /// - Returns: whether there was room for it, and the plug-in is attached.
    @discardableResult
    public func send(_ message: MIDIMessage) -> Bool { driver.send(message) }

    /// Whether it hears what comes through the MIDI port of its engine's unit, each message at its frame; at first it does. A unit
    /// has that port where its configuration has `midi`. Thread: any but audio.
    public var hearsMIDI: Bool {
        // SAFETY: here and below, the driver keeps the switches, and they are atomic.
        get { unsafe driver.switches.pointer.pointee.hearsMIDI.load(ordering: .relaxed) }
        set { unsafe driver.switches.pointer.pointee.hearsMIDI.store(newValue, ordering: .relaxed) }
    }

    /// Whether what it makes of MIDI leaves by the unit's other MIDI port, each message at its frame; at first it does. Of several
    /// instances, the first one's. Thread: any but audio.
    public var sendsMIDI: Bool {
        get { unsafe driver.switches.pointer.pointee.sendsMIDI.load(ordering: .relaxed) }
        set { unsafe driver.switches.pointer.pointee.sendsMIDI.store(newValue, ordering: .relaxed) }
    }

    /// MIDI messages that it did not hear, because its port has no room for so many in a block, and of those that it made the ones
    /// that found no room in a cycle or belong to no channel, as SysEx; since it was attached. Thread: any but audio.
    public var lostMessages: UInt64 { driver.exchange?.lostMessages ?? 0 }

    /// What the host has refused to it since the last call, a sentence each, and each only once: to end the program (the sound goes by
    /// from there on), to close descriptors that it did not open, to fork, to handle signals or have timers send them. Thread: any but audio.
    public func takeRefusals() -> [String] { driver.takeRefusals() }

    /// What the plug-in has logged since, in lines. Thread: any but audio.
    public func takeNotices() -> [String] { driver.log.take() }
}

// Presets and state. Thread: any but audio.
extension Plugin {
    /// Those that are installed, in the order of their names.
    public var presets: [PluginPreset] { list.presets(of: info) }

    /// Takes a preset: values of parameters at once, all else by new instances, to which the sound fades within a block.
    ///
    /// - Parameter name: its label or its URI.
    /// - Throws: `missing`, with the names that there are; `unusable` where it cannot be read.
    public func load(preset name: String) throws(PluginError) {
        let presets = presets
        guard let preset = presets.first(where: { $0.uri == name || $0.name == name }) else {
            // An option has a comma between its parts, so that such a name can be given by its URI alone.
            let names = presets.prefix(12).map {
                printable($0.name) + ($0.name.contains(",") ? " (by its URI, \($0.uri))" : "")
            }.joined(separator: ", ")
            throw PluginError(
                .missing,
                "\(info.shown) has no preset \(printable(name)); "
                    + (presets.isEmpty ? "it has none at all" : "it has \(names)\(presets.count > 12 ? ", …" : "")"))
        }
        guard let snapshot = PluginSnapshot(list.world, uri: preset.uri) else {
            throw PluginError(
                .unusable, "the preset \(printable(name)) of \(info.shown) cannot be read; use another one")
        }
        driver.restore(snapshot)
    }

    /// Its parameters, and what else it keeps, as text (Turtle) for `restore`.
    ///
    /// - Throws: `unusable` where the plug-in cannot save its state.
    public func savedState() throws(PluginError) -> String {
        try text(of: driver.snapshot(sampleRate: sampleRate))
    }

    private func text(of snapshot: PluginSnapshot) throws(PluginError) -> String {
        guard let text = snapshot.text else {
            throw PluginError(.unusable, "the state of \(info.shown) cannot be written; note its parameters instead")
        }
        return text
    }

    /// As `savedState`; `nil` where the plug-in keeps nothing beside its parameters.
    package func ownState() throws(PluginError) -> String? {
        let snapshot = try driver.snapshot(sampleRate: sampleRate)
        return snapshot.hasProperties ? try text(of: snapshot) : nil
    }

    /// Takes a state that `savedState` has made, as it takes a preset.
    ///
    /// - Throws: `unusable` where it is no such text, or another plug-in's.
    public func restore(_ text: String) throws(PluginError) {
        guard let snapshot = PluginSnapshot(list.world, text: text), snapshot.plugin == info.uri else {
            throw PluginError(.unusable, "this is no state of \(info.shown); save it again")
        }
        driver.restore(snapshot)
    }
}

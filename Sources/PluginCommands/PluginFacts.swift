import AudioDSP
import AudioFigures
import AudioPlugins
import AudioReports
import CommandSyntax
import TerminalPages

/// `iounit plugin info`.
struct PluginFacts {
    let name: String
    let isJSON: Bool

    func run() throws -> ExitCode {
        let list = try PluginList.installed()
        let info = try list.info(name)
        let presets = list.presets(of: info)
        // As a run would find it, which a bundle alone does not say.
        var (latency, trouble): (Int?, String?) = (nil, nil)
        do {
            latency = try Plugin(info.uri, in: list).latencyFrames
        } catch {
            trouble = error.description
        }
        return try StandardOutput.print(
            isJSON ? json(info, presets, latency, trouble) : page(info, presets, latency, trouble))
    }

    private func page(_ info: PluginInfo, _ presets: [PluginPreset], _ latency: Int?, _ trouble: String?) -> String {
        var facts = [
            ("URI", info.uri), ("name", info.name), ("class", info.category), ("author", info.author),
            ("bundle", info.bundle), ("library", info.library),
            ("channels", "\(info.inputs) in, \(info.outputs) out"),
            ("MIDI", info.hasMIDIInput ? (info.hasMIDIOutput ? "in and out" : "in") : info.hasMIDIOutput ? "out" : ""),
            ("latency", info.reportsLatency ? latency.map { "\($0) frames" } ?? "not known" : "none declared"),
            ("claims", info.claimsRealTime ? "that it may run on an audio thread (hardRTCapable)" : ""),
            ("requires", info.requiredFeatures.joined(separator: ", ")),
        ]
        if let short = info.shortName { facts.insert(("short name", short), at: 1) }
        if let trouble { facts.append(("trouble", trouble)) }
        var lines = facts.filter { !$0.1.isEmpty }.map { "\(padded($0.0, 10))  \(shown($0.1))" }
        lines += section("Parameters", info.controls.compactMap(\.parameter)) { "\($0.takes) (\(word($0.initial)))" }
        lines += section("Meters", info.meters.compactMap(\.parameter)) { _ in "" }
        if !presets.isEmpty { lines += ["", "Presets:"] + presets.map { "  \(shown($0.name))" } }
        return lines.joined(separator: "\n")
    }

    private func section(
        _ heading: String, _ parameters: [ParameterInfo], _ takes: (ParameterInfo) -> String
    ) -> [String] {
        guard !parameters.isEmpty else { return [] }
        let width = parameters.map(\.name.count).max() ?? 0
        let summaries = parameters.map(\.summary.count).max() ?? 0
        return ["", "\(heading):"]
            + parameters.map { parameter in
                let summary = padded(shown(parameter.summary), min(summaries, 32))
                return "  " + trimmed("\(padded(shown(parameter.name), width))  \(summary)  \(shown(takes(parameter)))")
            }
    }

    private func word(_ value: ParameterValue) -> String {
        switch value {
        case .number(let number): shortest(number)
        case .choice(let word): word
        case .flag(let isOn): isOn ? "1" : "0"
        case .action: ""
        }
    }

    private func json(
        _ info: PluginInfo, _ presets: [PluginPreset], _ latency: Int?, _ trouble: String?
    ) throws -> String {
        struct Report: Encodable {
            var schema = "iounit.plugin/1"
            var plugin: PluginRow
            /// At its initial settings, at 48 kHz; `null` where it cannot be made, which `trouble` says.
            var latencyFrames: Nullable<Int>
            var trouble: Nullable<String>
            var ports: [Port]
            var presets: [Preset]
        }
        struct Preset: Encodable {
            var name: String
            var uri: String
        }
        return try reportJSON(
            Report(
                plugin: PluginRow(info), latencyFrames: Nullable(latency), trouble: Nullable(trouble),
                ports: info.ports.map(Port.init), presets: presets.map { Preset(name: $0.name, uri: $0.uri) }))
    }

    private struct Port: Encodable {
        var index: Int
        var symbol: String
        var name: String
        var type: String
        var direction: String
        var optional: Bool
        var midi: Bool
        /// What LV2 designates it for; `null` for nothing.
        var purpose: Nullable<String>
        /// Of parameters: lowest and highest; empty for others.
        var range: [Double]
        var unit: String
        var logarithmic: Bool
        var words: [String]
        /// As the port has it; `null` of what is no parameter.
        var initial: Nullable<Double>

        init(_ port: PluginPort) {
            (index, symbol, name, type) = (port.index, port.symbol, port.name, port.kind.rawValue)
            (direction, optional, midi) = (port.isInput ? "input" : "output", port.isOptional, port.hasMIDI)
            purpose = Nullable(port.purpose?.rawValue)
            (range, unit, logarithmic, words) = ([], "", false, [])
            switch port.parameter?.kind {
            case .number(let span, let unit, _, let taper):
                (range, self.unit, logarithmic) = ([span.lowerBound, span.upperBound], unit, taper == .logarithmic)
            case .choice(let words): self.words = words
            case .flag: range = [0, 1]
            case .action, nil: break
            }
            initial = Nullable(port.isInput ? port.parameter.map { Double(port.number($0.initial)) } : nil)
        }
    }
}

/// Which settings give way to others.
enum SettingsRules {
    typealias Setting = SettingsFile.Setting

    /// Of several layers, the later wins.
    static func merged(_ layers: [[Setting]], _ syntax: Syntax) -> [Setting] {
        layers.reduce([]) { lower, upper in without(Set(upper.map(\.name)), lower, syntax) + upper }
    }

    /// What is left where some options are given otherwise: neither these nor what they contradict.
    static func without(_ given: Set<String>, _ settings: [Setting], _ syntax: Syntax) -> [Setting] {
        let gone = contradictions(syntax).reduce(given) { gone, rule in
            given.isDisjoint(with: rule.any) ? gone : gone.union(rule.excluded)
        }
        return settings.filter { !gone.contains($0.name) }
    }

    /// Leaves out what has no meaning without another option: a period is that of the private server, if there is one.
    ///
    /// - Parameters:
    ///   - given: what is on the command line.
    ///   - fixed: what a preset says, which has to be right as it is.
    ///   - operands: whether there are any on the command line.
    static func withoutDependents(
        _ settings: [Setting], given: Arguments, fixed: Set<String>, operands: Bool, _ syntax: Syntax
    ) -> [Setting] {
        var kept = settings
        // One may depend on another that depends on a third.
        for _ in 0..<3 {
            let present = present(given, kept)
            kept.removeAll { setting in
                guard !fixed.contains(setting.name) else { return false }
                if operands, let own = syntax.optionsOfFiles { return !own.contains(setting.name) }
                return dependencies(syntax).contains { rule in
                    rule.names.contains(setting.name) && rule.needs.contains { syntax.option($0) != nil }
                        && rule.needs.isDisjoint(with: present)
                }
            }
        }
        return kept
    }

    /// Options that say more than that something is left out.
    private static func present(_ given: Arguments, _ kept: [Setting]) -> Set<String> {
        let said = kept.map { ($0.name, $0.value) } + given.all.map { ($0.name, $0.value) }
        let last = Dictionary(said, uniquingKeysWith: { $1 })
        return Set(last.filter { $0.value != "off" }.keys)
    }

    private static func contradictions(_ syntax: Syntax) -> [(any: Set<String>, excluded: Set<String>)] {
        let offline = syntax.optionsOffline.map { own in Set(syntax.options.map(\.name)).subtracting(own) } ?? []
        return [
            (["offline"], offline), (offline, ["offline"]),
            (["server"], serverOptions.union(["dummy"])),
            (serverOptions.union(["dummy"]), ["server", "reconnect", "reconnect-limit"]),
            (["seconds"], ["cycles"]), (["cycles"], ["seconds"]),
            (["no-connect"], ["input", "output", "follow-routes", "wait-ports"]),
            (["input", "output", "follow-routes", "wait-ports"], ["no-connect"]),
            (["normalise"], ["gain"]), (["gain"], ["normalise"]),
            (["map"], ["channels"]), (["shape"], ["shape-table"]), (["shape-table"], ["shape"]),
            (["waveform"], ["spectrogram"]), (["spectrogram"], ["waveform"]),
            (["wait"], ["at", "threshold", "silence", "repeat", "transport"]),
            (["at"], ["wait", "threshold", "silence", "repeat", "transport"]),
            (["threshold"], ["wait", "at", "transport"]), (["preroll", "loop", "shuffle"], ["transport"]),
            // `repeat` goes with the transport as with a threshold.
            (["transport"], ["wait", "at", "threshold", "silence", "preroll", "loop", "shuffle"]),
            (["self-loop"], ["send", "return"]),
            (
                ["from"],
                serverOptions.union(["server", "dummy", "channels", "seconds", "warmup", "cycles", "baseline", "blame"])
            ),
            (
                ["calibrate"],
                ["server", "channels", "seconds", "warmup", "cycles", "baseline", "blame", "limit", "json"]
            ),
            (["queue", "queue-frames", "queue-bytes", "queue-milliseconds"], queues),
        ]
    }

    /// What the preset of `compare` says itself.
    static let setByOwnPreset: Set<String> = queues.union(["rate", "period", "channels", "queue-format", "sequential"])

    private static let queues: Set<String> = ["queue", "queue-frames", "queue-bytes", "queue-milliseconds"]

    /// Of the private server.
    private static let serverOptions: Set<String> = ["rate", "period", "sync"]

    /// Subcommands that write a file whatever their options.
    private static let writesAlways: Set<String> = ["record", "convert", "picture"]

    /// Options, and what they have no meaning without: one of several.
    private typealias Dependency = (names: Set<String>, needs: Set<String>)

    private static func dependencies(_ syntax: Syntax) -> [Dependency] {
        let isSent: Set<String> = [
            "codec", "bitrate", "frame", "fec", "stream-rate", "stream-title", "stream-description", "stream-genre",
            "token", "password", "tls-ca", "sdp",
        ]
        // Of latency, --send is another option.
        let sends: [Dependency] = [(isSent, ["send"])]
        let others: [Dependency] = [
            (serverOptions, syntax.optionsOffline == nil ? ["dummy"] : ["dummy", "offline"]),
            (["freewheel"], ["dummy", "server"]), (["gaps", "on-rate-change"], ["record"]),
            (["page-token", "control", "tls-cert", "tls-key"], ["serve"]), (["loop"], ["source"]),
            (["phase"], ["antialias"]), (["reconnect-limit"], ["reconnect"]), (["voice-options", "far"], ["voice"]),
            (["overlap"], ["split"]), (["silence"], ["threshold"]), (["repeat"], ["threshold", "transport"]),
            (["midi-port"], ["midi"]), (["wait-ports"], ["input", "output"]), (["plugin-only-safe"], ["plugin"]),
        ]
        let replaced: [Dependency] = [(["force"], ["record", "sdp", "html", "hgrm", "csv", "junit", "openmetrics"])]
        return others + (syntax.option("codec") == nil ? [] : sends)
            + (writesAlways.contains(syntax.name) ? [] : replaced)
    }
}

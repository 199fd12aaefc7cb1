import AudioIO
import CommandSyntax
import Jack

/// The options about connections that several subcommands have.
package enum RouteOptions {
    /// - Parameter usual: what holds where it is not given, in brackets.
    package static func input(usual: String = "") -> Option {
        Option(
            "input", "PATTERN",
            "take the sound from the ports whose name matches (a regular expression), or from none; "
                + "may be repeated, the first match wins\(usual)")
    }

    package static let output = Option(
        "output", "PATTERN", "send the sound to the ports whose name matches; see --input")
    package static let follow = Option(
        flag: "follow-routes",
        "move the connections when a port of an earlier pattern appears or disappears, such as a headset")
    package static let none = Option(flag: "no-connect", "make no connections; other programs may connect the ports")
        .excludes(["input", "output", "follow-routes", "wait-ports"])

    /// - Parameter route: where nothing is said.
    package static func route(_ arguments: Arguments, _ name: String, default route: Route) throws(Failure) -> Route {
        let patterns = try arguments.patterns(name, none: "no connection")
        if patterns == ["none"] { return .none }
        return patterns.isEmpty ? route : .firstOf(patterns)
    }
}

extension Arguments {
    /// The values of an option that takes patterns of ports' names, each of which is a regular expression.
    ///
    /// - Parameter none: what `none` stands for.
    func patterns(_ name: String, none: String) throws(Failure) -> [String] {
        let patterns = values(name)
        // An empty expression matches every name, which nobody means.
        try require(!patterns.contains(""), "--\(name) needs a pattern; use none for \(none)", of: name)
        for pattern in patterns { try ending(of: [name]) { () throws(JackError) in try checkPattern(pattern) } }
        return patterns
    }
}

/// The options about a server that goes away.
package enum ReconnectOptions {
    package static let options = [
        consent.option, limit.option.needs(["reconnect"]),
    ]
    private static let consent = TypedOption<ReconnectPolicy.Consent>.choice(
        "reconnect", "WHEN", ReconnectPolicy.Consent.allCases, \.rawValue, initial: .never,
        "rejoin a server that went away and came back: never, ask (after the key r, or SIGUSR1) or auto")
    private static let limit = TypedOption<Double?>.number(
        "reconnect-limit", .seconds, 0...1e9, usual: "no limit", "how long to wait for a server")

    package static func policy(_ arguments: Arguments) throws(Failure) -> ReconnectPolicy {
        ReconnectPolicy(try arguments.value(of: consent), limitSeconds: try arguments.value(of: limit))
    }
}

import AudioIO
import CommandSyntax
import Jack

/// The options about connections that several subcommands have.
package enum RouteOptions {
    /// - Parameter usual: what holds where it is not given, in brackets.
    package static func input(usual: String = "") -> TypedOption<[String]> {
        .patterns(
            "input", none: "no connection",
            "take the sound from the ports whose name matches (a regular expression), or from none; "
                + "may be repeated, the first match wins\(usual)")
    }

    package static func output(
        _ help: String = "send the sound to the ports whose name matches; see --input"
    ) -> TypedOption<[String]> {
        .patterns("output", none: "no connection", help)
    }

    package static let follow = Option(
        flag: "follow-routes",
        "move the connections when a port of an earlier pattern appears or disappears, such as a headset")
    package static let none = Option(flag: "no-connect", "make no connections; other programs may connect the ports")
        .excludes(["input", "output", "follow-routes", "wait-ports"])

    /// - Parameter route: where nothing is said.
    package static func route(
        _ arguments: Arguments, _ option: TypedOption<[String]>, default route: Route
    ) throws(Failure) -> Route {
        let patterns = try arguments.value(of: option)
        if patterns == ["none"] { return .none }
        return patterns.isEmpty ? route : .firstOf(patterns)
    }
}

extension TypedOption where Value == [String] {
    /// Patterns of ports' names, each of which is a regular expression; may be repeated.
    ///
    /// - Parameter none: what `none` stands for.
    static func patterns(_ name: String, none: String, _ help: String) -> Self {
        .repeated(Option(name, "PATTERN", help)) { patterns, arguments throws(Failure) in
            // An empty expression matches every name, which nobody means.
            try arguments.require(
                !patterns.contains(""), "--\(name) needs a pattern; use none for \(none)", of: name)
            for pattern in patterns { try ending(of: [name]) { () throws(JackError) in try checkPattern(pattern) } }
            return patterns
        }
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

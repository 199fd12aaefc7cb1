/// What limits were called in version 0.1.0, before tables, JSON and limits had one name for each figure.
enum FormerLimits {
    private static let names = [
        "telemetry": "lost-records", "load": "load.max", "long": "long-intervals", "error": "latency.error",
    ]
    /// Of a distribution, and of a statistic.
    private static let prefixes = ["time.": "callback-time."]
    private static let suffixes = ["p99.9": "p999", "p99.99": "p9999", ".deviation": ".standard-deviation"]

    /// The present name of a figure; the name itself where it has not changed.
    static func present(_ name: String) -> String {
        if let present = names[name] { return present }
        var name = name
        for (old, new) in prefixes where name.hasPrefix(old) { name = new + name.dropFirst(old.count) }
        for (old, new) in suffixes where name.hasSuffix(old) { name = name.dropLast(old.count) + new }
        return name
    }
}

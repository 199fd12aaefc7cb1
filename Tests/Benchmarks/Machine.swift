import Foundation

/// What the figures were measured on.
enum Machine {
    static var description: String {
        "\(processor), \(ProcessInfo.processInfo.activeProcessorCount) processors; load average \(load)"
    }

    private static var processor: String {
        let facts = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let line = facts.split(separator: "\n").first { $0.hasPrefix("model name") }
        return line?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces) ?? "unknown processor"
    }

    private static var load: String {
        let averages = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)) ?? ""
        return averages.split(separator: " ").first.map(String.init) ?? "unknown"
    }
}

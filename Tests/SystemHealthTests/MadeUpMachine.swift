import Foundation
import TestSupport

@testable import SystemHealth

/// A machine of files in a folder: of an ordinary user, with a card and jackd's library, on which all is well. A test
/// spoils one thing.
final class MadeUpMachine {
    private let folder: TemporaryFolder
    /// By path; `nil` removes one that is usually there.
    private var files: [String: String]
    var machine: Machine

    init(_ changes: [String: String?] = [:]) throws {
        folder = try TemporaryFolder()
        machine = Machine(
            root: folder.path, environment: ["PATH": "/usr/bin", "HOME": "/home/ada"], libjack: ("1.9.22", false),
            timerResolution: 1, space: { _ in Machine.Space(total: 1 << 30, free: 1 << 30) })
        machine.isHeard = { [folder] path in FileManager.default.fileExists(atPath: folder.path + path) }
        files = Self.well
        for (path, text) in changes { files[path] = text }
        var made: Set<String> = []
        for (path, text) in files {
            let place = folder.path + path
            let parent = (place as NSString).deletingLastPathComponent
            if made.insert(parent).inserted {
                try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
            }
            guard FileManager.default.createFile(atPath: place, contents: Data(text.utf8)) else {
                throw CocoaError(.fileWriteUnknown)
            }
        }
    }

    /// What is found on one subject.
    func findings(_ subject: String) -> [Finding] { Examination(machine).findings.filter { $0.subject == subject } }

    /// All that is in the folder, with content and time of change.
    var contents: [String: String] {
        var found: [String: String] = [:]
        for path in FileManager.default.enumerator(atPath: folder.path)?.compactMap({ $0 as? String }) ?? [] {
            let full = folder(path)
            let date = (try? FileManager.default.attributesOfItem(atPath: full))?[.modificationDate] as? Date
            found[path] = "\(String(describing: date)) \((try? String(contentsOfFile: full, encoding: .utf8)) ?? "")"
        }
        return found
    }

    /// The kernel's files on a program.
    ///
    /// - Parameters:
    ///   - priority: in real time; 0 is none.
    ///   - ticks: of a processor that it has used, in hundredths of a second since the machine's start.
    static func process(
        _ number: Int, _ name: String, user: Int = 1000, arguments: [String] = [], state: String = "S",
        priority: Int = 0, ticks: Int = 0
    ) -> [String: String] {
        var fields = Array(repeating: "0", count: 50)
        fields[0] = state
        fields[11] = "\(ticks)"
        fields[37] = "\(priority)"
        // The process's own thread sleeps on; another one is in real time.
        let line = "\(number) (\(name)) "
        return [
            "/proc/\(number)/task/\(number + 1)/stat": line + fields.joined(separator: " ") + "\n",
            "/proc/\(number)/stat": line + (fields.prefix(37) + ["0"] + fields.dropFirst(38)).joined(separator: " "),
            "/proc/\(number)/status": "Name:\t\(name)\nTgid:\t\(number)\nUid:\t\(user)\t\(user)\t\(user)\t\(user)\n",
            "/proc/\(number)/comm": name + "\n",
            "/proc/\(number)/cmdline": arguments.map { $0 + "\0" }.joined(),
        ]
    }

    /// As the kernel has it, with a soft and a hard limit.
    static func limits(priority: String = "95", memory: String = "unlimited") -> String {
        """
        Limit                     Soft Limit           Hard Limit           Units     
        Max locked memory         \(memory)            \(memory)            bytes     
        Max realtime priority     \(priority)          \(priority)          
        """
    }

    /// Of a user, the effective one last, and the session's groups.
    static func status(user: Int = 1000, groups: String = "29 1000", capabilities: String = "0") -> String {
        "Name:\tiounit\nUid:\t\(user)\t\(user)\t\(user)\t\(user)\nGid:\t\(user)\t\(user)\t\(user)\t\(user)\n"
            + "Groups:\t\(groups) \nCapEff:\t\(capabilities)\n"
    }

    /// JACK's registry with servers in it.
    ///
    /// - Parameters:
    ///   - servers: the name and the process of each. All bytes are ASCII, so that it can be written as text: no number has a
    ///     byte beyond 127.
    ///   - users: of the processes; 1000 where nothing is said.
    static func registry(_ servers: [(name: String, process: Int)], users: [Int: Int] = [:]) -> String {
        var bytes = [UInt8](repeating: 0, count: 2136 + 268)
        func put(_ number: Int, _ place: Int) { for i in 0..<4 { bytes[place + i] = UInt8(number >> (8 * i) & 0x7f) } }
        put(0x4a41_434b, 0)
        put(2136, 16)
        put(268, 20)
        for (index, server) in servers.enumerated() {
            put(server.process, 24 + index * 264)
            let name = "jack-\(users[server.process] ?? 1000):\(server.name):"
            for (i, byte) in name.utf8.enumerated() { bytes[28 + index * 264 + i] = byte }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static let card = " 0 [PCH            ]: HDA-Intel - HDA Intel PCH\n                      HDA Intel PCH at 0xa1\n"

    private static let well: [String: String] = [
        "/proc/self/limits": limits(), "/proc/self/status": status(), "/proc/self/uid_map": "0 0 4294967295\n",
        "/proc/self/cgroup": "0::/user.slice\n", "/proc/self/timerslack_ns": "50000\n",
        "/proc/sys/kernel/sched_rt_runtime_us": "950000\n", "/proc/sys/kernel/sched_rt_period_us": "1000000\n",
        "/proc/sys/kernel/version": "#1 SMP PREEMPT_RT Debian\n", "/proc/sys/kernel/osrelease": "6.12\n",
        "/proc/cmdline": "quiet threadirqs\n", "/proc/swaps": "Filename Type Size Used Priority\n",
        "/proc/sys/vm/swappiness": "60\n", "/proc/uptime": "1000.00 1.00\n", "/proc/stat": "cpu 1 2 3 4 5 6 7 0 0 0\n",
        "/proc/cpuinfo": "processor\t: 0\nflags\t\t: fpu sse2\n",
        "/proc/interrupts": "   CPU0\n 33:   12   IR-PCI-MSI 514048-edge      snd_hda_intel:card0\n",
        "/proc/asound/cards": card, "/dev/snd/pcmC0D0p": "",
        "/sys/fs/cgroup/user.slice/memory.max": "max\n",
        "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance\n",
        "/sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
        "/etc/group": "audio:x:29:ada\nada:x:1000:\n", "/etc/passwd": "ada:x:1000:1000::/home/ada:/bin/sh\n",
        "/etc/security/limits.d/audio.conf": "@audio - rtprio 95\n@audio - memlock unlimited # all\n",
        "/usr/bin/jackd": "", "/dev/shm/jack_default_1000_0": "",
    ].merging(process(1, "systemd", user: 0)) { $1 }
        .merging(process(40, "irq/33-snd_hda", user: 0, priority: 50)) { $1 }
        .merging(jackd()) { $1 }

    /// A server that plays on the card.
    static func jackd(
        arguments: [String] = ["jackd", "-d", "alsa", "-r48000", "-p", "64"], state: String = "S", priority: Int = 10
    ) -> [String: String] {
        process(500, "jackd", arguments: arguments, state: state, priority: priority, ticks: 2000)
    }
}

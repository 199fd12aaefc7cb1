import Glibc
import Jack
import Threads

extension Machine {
    /// The machine that this program runs on.
    public static var running: Machine {
        var resolution = timespec()
        let hasResolution = unsafe clock_getres(CLOCK_MONOTONIC, &resolution) == 0
        return Machine(
            root: "", environment: variables, libjack: (LibJack.version, LibJack.isPipeWire),
            timerResolution: hasResolution ? resolution.tv_sec * 1_000_000_000 + resolution.tv_nsec : nil,
            space: { DiskSpace(at: $0).map { Space(total: $0.total, free: $0.free) } },
            mayUse: { unsafe access($0, R_OK | W_OK) == 0 },
            answers: { ServerSocket.answers(serverName: $0, patienceMilliseconds: 1000) },
            ask: { ChildProcess.answer($0, deadlineSeconds: 2) })
    }

    /// Of the environment, what the examination goes by.
    private static var variables: [String: String] {
        var found: [String: String] = [:]
        for name in ["PATH", "USER", "HOME", "XDG_CONFIG_HOME", "JACK_PROMISCUOUS_SERVER"] {
            found[name] = Environment[name]
        }
        return found
    }
}

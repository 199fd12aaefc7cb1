/// What a plug-in may be found to do while it runs.
package enum FindingKind: String, Codable, CaseIterable, Sendable {
    // What may make a block late, or end the host.
    case allocation, lock, contendedLock, wait, terminal, file, systemCall, thread, process, loader, pageFault, stack,
        overrun
    case hang, crash, exit
    // What is wrong, or worth knowing, and makes no block late by itself.
    case freshMemory, late, denormals, floatState, overread, unwritten, nonFinite, latency, random, hostCall
    case signalHandler, foreignDescriptor

    /// Those that are not allowed on an audio thread.
    package static let failures: Set<FindingKind> = [
        .allocation, .lock, .contendedLock, .wait, .terminal, .file, .systemCall, .thread, .process, .loader,
        .pageFault,
        .stack, .overrun, .hang, .crash, .exit,
    ]

    /// After which the plug-in does not go on.
    static let endings: Set<FindingKind> = [.hang, .crash, .exit]

    /// One sentence.
    package var meaning: String {
        switch self {
        case .allocation: "it takes memory from the heap or gives it back, which may take a lock or a system call"
        case .lock: "it takes a lock that was free; nothing says that it will be free the next time"
        case .contendedLock: "it waits for a lock that another thread holds"
        case .wait: "it waits: for another thread, for time, or for a file"
        case .terminal: "it writes to the terminal"
        case .file: "it opens, reads, writes or closes files"
        case .systemCall: "it calls the kernel, which may take any time"
        case .thread: "it starts a thread"
        case .process: "it starts a process"
        case .loader: "it loads or unloads a library"
        case .pageFault: "it touches memory that is not there yet, although all memory is locked"
        case .stack: "it needs 128 kB of stack or more; from 480 kB on it does not fit libjack's threads of 512 kB"
        case .overrun: "it writes outside of its buffers"
        case .hang: "run does not return"
        case .crash: "it crashes"
        case .exit: "it ends the host's process"
        case .freshMemory: "it touches memory that is not there yet, where the host has not locked its memory"
        case .late: "a block took more of the processor than its period; the machine may be to blame"
        case .denormals:
            "it computes with denormal numbers in silence, which is slow unless the host flushes them to zero"
        case .floatState: "it leaves another rounding or treatment of denormals behind"
        case .overread: "it reads outside of its buffers"
        case .unwritten: "it leaves samples of an output unwritten"
        case .nonFinite: "its output is infinite or not a number, at values within its controls' ranges"
        case .latency:
            "it declares another latency than was measured, or one that is none; a dry part of its sound may deceive the measurement"
        case .random: "it calls rand or random, which take a lock of the C library"
        case .hostCall: "it has the host map a URI, or write to the log, which hosts need not do at once"
        case .signalHandler: "it installs a signal handler in the host's process"
        case .foreignDescriptor: "it closes files that are the host's"
        }
    }

    /// For people.
    package var inWords: String {
        switch self {
        case .floatState: "floating-point state"
        case .nonFinite: "NaN or Inf"
        // Its name, with a blank before each capital.
        default: rawValue.reduce(into: "") { $0 += $1.isUppercase ? " \($1.lowercased())" : "\($1)" }
        }
    }
}

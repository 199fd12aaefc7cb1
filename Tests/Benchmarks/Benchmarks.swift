import AudioIO
import Foundation
import Threads

/// What a section of the benchmarks is made with, and leaves behind.
struct Section: Sendable {
    let name: String
    /// What it is meant to show, and what its columns mean.
    let introduction: String
    let run: @Sendable (Workshop) throws -> [Goal]

    static let all = [
        kernels, antialiasing, plan, equaliser, channels, longRun, callback, scaling, engine, jitter, start, denormals,
        measurement, analysis, comparison, convert, streaming, voice, plugins,
    ]
}

/// What the sections work with.
struct Workshop {
    /// Where the C programs lie.
    let twins: URL
    /// Where the command lies.
    let products: URL
    /// How long the long run is.
    let longRunSamples: Int
    /// The state of the processor in which it computes with denormal numbers, as every program starts.
    let gradualUnderflow: fenv_t
}

/// Runs the sections named on the command line, all where none is, and holds what they measured against the goals.
@main
struct Benchmarks {
    static func main() {
        var arguments = CommandLine.arguments
        guard arguments.count >= 2 else {
            print("usage: Benchmarks TWINS [--samples N] [SECTION…]; Tools/bench builds the twins and runs this")
            exit(64)
        }
        var samples = 10_000_000
        if let option = arguments.firstIndex(of: "--samples") {
            guard let count = arguments.dropFirst(option + 1).first.flatMap({ Int($0) }), count >= 1 else {
                print("bench: --samples needs a whole number, as 1000000000")
                exit(64)
            }
            samples = count
            arguments.removeSubrange(option...(option + 1))
        }
        let names = arguments.dropFirst(2)
        let known = Section.all.map(\.name)
        if let unknown = names.first(where: { !known.contains($0) }) {
            print("bench: there is no section \"\(unknown)\"; there are \(known.joined(separator: ", "))")
            exit(64)
        }
        var gradualUnderflow = fenv_t()
        fegetenv(&gradualUnderflow)
        let workshop = Workshop(
            twins: URL(fileURLWithPath: arguments[1]),
            products: URL(fileURLWithPath: arguments[0]).deletingLastPathComponent(),
            longRunSamples: samples, gradualUnderflow: gradualUnderflow)
        // As the audio thread and the command do.
        Denormals.flushOnThisThread()
        let isLocked = MemoryLock.lock()
        print("\(Machine.description); memory \(isLocked ? "locked" : "not locked: the kernel refused")")
        var goals: [Goal] = []
        for section in Section.all where names.isEmpty || names.contains(section.name) {
            print("\n== \(section.name)\n\(section.introduction)\n")
            fflush(nil)
            do {
                goals += try section.run(workshop)
            } catch {
                print("bench: \(section.name) could not be completed: \(error)")
                exit(70)
            }
        }
        print("\n== goals\n")
        print(Goal.table(goals))
    }
}

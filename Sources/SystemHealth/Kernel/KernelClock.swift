/// How the kernel tells the time, and how finely it wakes.
enum KernelClock {
    private static let subject = Subject(
        "clock",
        because: "JACK reads the clock several times in each period, and some clocks take a microsecond to read")
    private static let folder = "/sys/devices/system/clocksource/clocksource0"
    private static let frequency = "/proc/sys/dev/hpet/max-user-freq"
    private static let slack = "/proc/self/timerslack_ns"

    static func findings(_ snapshot: Snapshot) -> [Finding?] {
        [source(snapshot.machine), resolution(snapshot.machine), timerSlack(snapshot.machine), device(snapshot)]
    }

    private static func source(_ machine: Machine) -> Finding {
        let file = "\(folder)/current_clocksource"
        guard let name = machine.word(file) else {
            return Finding(subject, .unseen, "Which clock the kernel reads cannot be seen.", from: [file])
        }
        guard ["hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit"].contains(name) else {
            return Finding(subject, .ok, "The kernel reads the clock \(name).", from: [file])
        }
        let hasBetter = machine.text("\(folder)/available_clocksource")?.words.contains("tsc") ?? false
        return Finding(
            subject, .warning, "The kernel reads the clock \(name), which is slow.",
            remedy: hasBetter
                ? [Step("until the next start", "echo tsc | sudo tee \(file)")]
                : [
                    Step(
                        "see why the processor's own clock is not trusted", "sudo dmesg | grep -i -e tsc -e clocksource"
                    )
                ],
            from: [file, "\(folder)/available_clocksource"])
    }

    private static func resolution(_ machine: Machine) -> Finding {
        let subject = Subject(
            Self.subject.name, because: "timers that go by the kernel's tick wake a program milliseconds late")
        let source = "clock_getres"
        guard let nanoseconds = machine.timerResolution else {
            return Finding(subject, .unseen, "How finely timers wake cannot be seen.", from: [source])
        }
        guard nanoseconds > 1000 else {
            return Finding(subject, .ok, "Timers are of high resolution (\(nanoseconds) ns).", from: [source])
        }
        return Finding(
            subject, .warning, "Timers wake on multiples of \(nanoseconds / 1000) µs only.",
            remedy: Step.kernelOption("highres=off nohz=off", isWanted: false), from: [source, "/proc/cmdline"])
    }

    /// Threads in real time have none, so that the usual one is not worth a word.
    private static func timerSlack(_ machine: Machine) -> Finding? {
        guard let nanoseconds = machine.number(slack), nanoseconds > 50_000 else { return nil }
        return Finding(
            subject, .note, "The kernel may wake this program's threads \(nanoseconds / 1000) µs late, to save power.",
            because: "that holds for threads that are not in real time, as those of meters and recorders",
            remedy: [.advice("start it from another session: 50 µs are usual")], from: [slack])
    }

    /// Matters only to a jackd that was told to read that clock.
    private static func device(_ snapshot: Snapshot) -> Finding? {
        let readers = snapshot.running("jackd", "jackdmp").filter { process in
            let words = process.arguments
            let next = zip(words, words.dropFirst()).contains {
                ($0 == "-c" || $0 == "--clocksource") && $1.hasPrefix("h")
            }
            return next || words.contains { $0.hasPrefix("-ch") || $0.hasPrefix("--clocksource=h") }
        }
        guard let reader = readers.first else { return nil }
        return Finding(
            subject, .warning,
            "jackd (process \(reader.identifier)) reads the HPET, at most \(snapshot.machine.number(frequency) ?? 64) times a second for users.",
            because: "that clock is slow, and all processors wait for each other to read it",
            remedy: [.advice("start jackd without --clocksource hpet")],
            from: ["/proc/\(reader.identifier)/cmdline", frequency])
    }
}

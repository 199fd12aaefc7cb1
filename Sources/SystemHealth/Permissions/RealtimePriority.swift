/// Whether this user's audio threads may run in real time.
enum RealtimePriority {
    /// jackd asks for this where it is told no other; its clients get 5 less.
    private static let wanted = 10

    static func finding(_ snapshot: Snapshot) -> Finding {
        let subject = Subject(
            "real-time priority",
            because: "without it any other program may keep an audio thread from the processor for many milliseconds")
        let sources = [ResourceLimit.file, User.status]
        if snapshot.user?.has(.schedule) == true {
            return Finding(
                subject, .ok,
                "This program may take any real-time priority: it has the capability SYS_NICE, as root has.",
                from: sources)
        }
        guard let limit = ResourceLimit("Max realtime priority", snapshot.machine) else {
            return Finding(subject, .unseen, "The limit of the real-time priority cannot be seen.", from: sources)
        }
        let amount = limit.amount ?? 99
        guard amount < wanted else {
            return Finding(
                subject, .ok, "This user's programs may take a real-time priority of up to \(amount).", from: sources)
        }
        let remedy = LimitRemedy.of("rtprio", atLeast: wanted, snapshot)
        return Finding(
            subject, .problem,
            amount == 0
                ? "This user's programs may not run in real time."
                : "This user's programs may take a real-time priority of \(amount) at most, and jackd asks for \(wanted).",
            remedy: remedy.steps, from: sources + remedy.sources)
    }
}

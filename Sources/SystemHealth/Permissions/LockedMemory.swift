/// Whether this user's programs may keep all their memory from being swapped out.
enum LockedMemory {
    /// A jackd of 2048 ports locks 105 MB, and each client maps them as well.
    private static let wantedMegabytes = 256
    /// What jackd 1.9.21 must lock, or does not start: a page for itself, for its freewheel driver and for each client.
    /// Measured: 8 kB are too little without a client.
    private static let neededKilobytes = 64

    static func finding(_ snapshot: Snapshot) -> Finding {
        let subject = Subject(
            "locked memory",
            because:
                "memory that is not locked may be swapped out, and an audio thread that touches it waits for the disk")
        let sources = [ResourceLimit.file, User.status]
        if snapshot.user?.has(.lockMemory) == true {
            return Finding(
                subject, .ok, "This program may lock all memory: it has the capability IPC_LOCK, as root has.",
                from: sources)
        }
        guard let limit = ResourceLimit("Max locked memory", snapshot.machine) else {
            return Finding(subject, .unseen, "The limit of locked memory cannot be seen.", from: sources)
        }
        guard let amount = limit.amount else {
            return Finding(subject, .ok, "This user's programs may lock as much memory as there is.", from: sources)
        }
        guard amount < wantedMegabytes << 20 else {
            return Finding(
                subject, .ok, "This user's programs may lock \(megabytes(amount)) of memory each.", from: sources)
        }
        let remedy = LimitRemedy.of("memlock", atLeast: wantedMegabytes << 10, snapshot)
        guard amount >= neededKilobytes << 10 else {
            return Finding(
                subject, .problem,
                "This user's programs may lock \(megabytes(amount)) of memory, and jackd does not start with so little.",
                because: "a jackd must lock a page for each of its clients, and ends where it may not",
                remedy: remedy.steps, from: sources + remedy.sources)
        }
        return Finding(
            subject, .warning,
            "This user's programs may lock \(megabytes(amount)) of memory, and JACK's take more than 100 MB.",
            remedy: remedy.steps, from: sources + remedy.sources)
    }
}

/// A size for people, from bytes; in the units of 1024.
func megabytes(_ bytes: Int) -> String {
    if bytes >= 10 << 30 { return "\(bytes >> 30) GB" }
    return bytes >= 1 << 20 || bytes == 0 ? "\(bytes >> 20) MB" : "\(bytes >> 10) kB"
}

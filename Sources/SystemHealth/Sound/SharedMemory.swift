import Jack

/// The room in which JACK's programs meet.
enum SharedMemory {
    static let folder = "/dev/shm"
    static func finding(_ snapshot: Snapshot) -> Finding {
        let subject = Subject(
            "shared memory",
            because: "jackd shares its ports with its clients there, and dies where it does not find the room")
        guard let space = snapshot.machine.space(folder) else {
            return Finding(
                subject, .problem, "There is no \(folder).",
                remedy: [.command("sudo mount -t tmpfs tmpfs \(folder)")], from: [folder])
        }
        guard snapshot.machine.mayUse(folder) else {
            return Finding(
                subject, .problem, "\(folder) is read-only, or this user may not write there.",
                because: "jackd and its clients meet in files that they make there: no server starts without",
                remedy: snapshot.container?.steps(for: .sharedMemory)
                    ?? [.command("sudo mount -o remount,rw,mode=1777 \(folder)")], from: [folder])
        }
        let statement = "\(folder) has \(megabytes(space.free)) of \(megabytes(space.total)) free"
        // A server that runs has what it needs; one with a /dev/shm of its own has it elsewhere.
        let isServed = snapshot.registered.contains(where: \.isReachable)
        guard space.free < ServerSpace.bytes() && !isServed else {
            return Finding(subject, .ok, "\(statement).", from: [folder])
        }
        return Finding(
            subject, .problem, "\(statement), and a jackd takes 105 MB.",
            remedy: (snapshot.container?.steps(for: .roomInSharedMemory)
                ?? [.command("sudo mount -o remount,size=256m \(folder)")])
                + [Step("or start jackd with fewer ports", "jackd --port-max 256 -d alsa")], from: [folder])
    }
}

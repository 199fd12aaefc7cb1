import Glibc
import Threads

/// The room that a jackd takes in shared memory.
package enum ServerSpace {
    /// A little more than jackd 1.9.21 took at once where it was measured, for its clients: 37.4 MB, and 33 kB for each port
    /// that it may have; 105 MB for the 2048 that it has where nobody says how many.
    package static func bytes(ports: Int = 2048) -> Int { 40_000_000 + 34_000 * ports }

    /// Why a jackd that ended could not work there, and what to do; `nil` where the room is not to blame. A process that
    /// touches memory for which there is no room ends with SIGBUS. Thread: control.
    static func shortage(ports: Int) -> String? {
        let folder = ServerLeftovers.folder
        guard let space = DiskSpace(at: folder) else {
            return "there is no \(folder), where JACK's programs meet; mount a tmpfs there"
        }
        if unsafe access(folder, W_OK) != 0 {
            return "\(folder), where JACK's programs meet, is read-only or not for this user; make it writable (in a "
                + "container --tmpfs \(folder):rw,mode=1777,size=256m)"
        }
        let wanted = bytes(ports: ports)
        guard space.free < wanted else { return nil }
        return
            "\(folder) has \(space.free >> 20) MB of \(space.total >> 20) MB free, and jackd takes \(wanted >> 20) MB; make it larger (in a "
            + "container --shm-size 256m, else mount -o remount,size=256m \(folder))"
    }
}

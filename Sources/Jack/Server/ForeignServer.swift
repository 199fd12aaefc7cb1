import Glibc
import Threads

/// A jackd that runs under the name that was looked for, and lets this program not in: another user's, or one that is shared
/// while this program asks for its own user's.
struct ForeignServer {
    let owner: uid_t
    /// With which it is shared; `nil` where it serves its own user alone.
    let group: gid_t?

    /// What its socket in shared memory tells. Its file says whose it is: the name could be anybody's.
    init?(serverName: String) {
        let folder = ServerLeftovers.folder
        guard let names = Folder.names(in: folder) else { return nil }
        var found: (owner: uid_t, group: gid_t?)?
        for name in names where name.hasPrefix("jack_\(serverName)_") {
            let parts = name.dropFirst("jack_\(serverName)_".count).split(
                separator: "_", omittingEmptySubsequences: false)
            var facts = stat()
            guard parts.last == "0", parts.count <= 2, parts.allSatisfy({ UInt32($0) != nil }),
                unsafe lstat("\(folder)/\(name)", &facts) == 0, facts.st_mode & S_IFMT == S_IFSOCK
            else { continue }
            let isShared = parts.count == 1
            guard isShared || facts.st_uid != getuid(), Self.mayRun(serverName, facts.st_uid) else { continue }
            found = (facts.st_uid, isShared ? facts.st_gid : nil)
        }
        guard let found else { return nil }
        (owner, group) = found
    }

    /// Whether the process of a user's server lives, or is not registered: one that was killed leaves its socket.
    private static func mayRun(_ serverName: String, _ owner: uid_t) -> Bool {
        let places = ServerRegistry.servers().filter { $0.name == serverName && $0.user == owner }
        return places.isEmpty || places.contains { kill($0.process, 0) == 0 || errno == EPERM }
    }

    /// Whose it is, and what would permit this program to join it.
    var explanation: String {
        let name = Self.name(ofUser: owner)
        guard let group else {
            return
                "the one that runs is \(name)'s, and lets only programs of that user in; start it and this program with "
                + "JACK_PROMISCUOUS_SERVER=GROUP in the environment, a group that both users are in, or start a server of "
                + "your own with jackd"
        }
        let whose = owner == getuid() ? "yours" : "\(name)'s"
        let groupName = Self.name(ofGroup: group)
        return "the one that runs is \(whose) and shared with the group \(groupName); join that group, and set "
            + "JACK_PROMISCUOUS_SERVER=\(groupName) for this program"
    }

    private static func name(ofUser number: uid_t) -> String {
        var (entry, found) = unsafe (passwd(), UnsafeMutablePointer<passwd>?.none)
        var text = [CChar](repeating: 0, count: 4096)
        guard unsafe getpwuid_r(number, &entry, &text, text.count, &found) == 0, unsafe found != nil else {
            return "user \(number)"
        }
        return unsafe String(cString: entry.pw_name)
    }

    private static func name(ofGroup number: gid_t) -> String {
        var (entry, found) = unsafe (Glibc.group(), UnsafeMutablePointer<Glibc.group>?.none)
        var text = [CChar](repeating: 0, count: 16384)
        guard unsafe getgrgid_r(number, &entry, &text, text.count, &found) == 0, unsafe found != nil else {
            return "\(number)"
        }
        return unsafe String(cString: entry.gr_name)
    }
}

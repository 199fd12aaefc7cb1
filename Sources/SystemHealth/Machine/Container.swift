/// A container that this program runs in: what it lacks is granted where it is started.
struct Container {
    /// What a container may lack.
    struct Need {
        /// Of Docker and Podman.
        fileprivate let options: String
        /// For any other kind.
        fileprivate let words: String

        static let limits = Need(
            options: "--ulimit rtprio=95 --ulimit memlock=-1 --cap-add SYS_NICE",
            words: "a real-time priority of 95 (rtprio) and unlimited locked memory (memlock)")
        static let cards = Need(options: "--device /dev/snd", words: "the devices in /dev/snd")
        static let memory = Need(options: "--memory 1g", words: "1 GB of memory")
        static let roomInSharedMemory = Need(options: "--shm-size 256m", words: "256 MB in /dev/shm")
        static let sharedMemory = Need(
            options: "--tmpfs /dev/shm:rw,mode=1777,size=256m", words: "a /dev/shm that all may write to, of 256 MB")
        static let realtimeShare = Need(
            options: "--cpu-rt-runtime=950000", words: "real time for its control group (cpu.rt_runtime_us 950000)")
    }

    /// Of what has started it.
    let name: String

    /// One that shows itself by what is missing.
    static let unknown = Container(name: "unknown")

    static let files = [
        "/.dockerenv", "/run/.containerenv", "/dev/incus/sock", "/dev/lxd/sock", "/run/systemd/container",
    ]

    private init(name: String) { self.name = name }

    /// - Returns: `nil` where it is none, or none that can be told.
    init?(_ machine: Machine) {
        // Where the kernel's own threads are to be seen, an image of a container was started as a machine.
        guard !machine.showsKernelThreads else { return nil }
        let makers = zip(["Docker", "Podman", "Incus", "LXD"], Self.files)
        if let name = makers.first(where: { machine.exists($1) })?.0 {
            self.name = name
            return
        }
        // What the first process was started with tells where that is not systemd; only root may read it.
        let variables = machine.text("/proc/1/environ")?.split(separator: "\0")
        let told = variables?.first { $0.hasPrefix("container=") }?.dropFirst("container=".count).words.first
        guard let word = machine.word("/run/systemd/container") ?? told else { return nil }
        name = ["docker": "Docker", "podman": "Podman", "lxc": "LXC", "lxc-libvirt": "LXC"][word] ?? word
    }

    /// How it gets what it lacks.
    func steps(for needs: Need...) -> [Step] {
        if ["Docker", "Podman"].contains(name) {
            return [Step("start the container with", needs.map(\.options).joined(separator: " "))]
        }
        return [.advice("start the container so that it has \(needs.map(\.words).joined(separator: ", and "))")]
    }
}

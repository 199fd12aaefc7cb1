/// A container that this program runs in: what it lacks is granted where it is started, and by each kind in its own words.
struct Container {
    /// What starts it.
    enum Kind: Equatable {
        /// Docker and Podman have the same options.
        case docker, podman
        case lxc
        /// LXD and Incus, which are set by a command of the machine.
        case lxd, incus
        case nspawn
        /// As systemd calls it.
        case other(String)
    }

    /// What a container may lack.
    enum Need {
        case limits, cards, memory, roomInSharedMemory, sharedMemory, realtimeShare

        /// For a kind whose words are not known.
        fileprivate var inWords: String {
            switch self {
            case .limits: "a real-time priority of 95 (rtprio) and unlimited locked memory (memlock)"
            case .cards: "the devices in /dev/snd"
            case .memory: "1 GB of memory"
            case .roomInSharedMemory: "256 MB in /dev/shm"
            case .sharedMemory: "a /dev/shm that all may write to, of 256 MB"
            case .realtimeShare: "real time for its control group (cpu.rt_runtime_us 950000)"
            }
        }
    }

    let kind: Kind

    /// One that shows itself by what is missing.
    static let unknown = Container(.other("unknown"))

    private init(_ kind: Kind) { self.kind = kind }

    static let files = [
        "/.dockerenv", "/run/.containerenv", "/dev/incus/sock", "/dev/lxd/sock", "/run/systemd/container",
    ]

    /// - Returns: `nil` where it is none, or none that can be told.
    init?(_ machine: Machine) {
        // Where the kernel's own threads are to be seen, an image of a container was started as a machine.
        guard machine.word("/proc/2/comm") != "kthreadd" else { return nil }
        let kinds: [Kind] = [.docker, .podman, .incus, .lxd]
        if let kind = zip(kinds, Self.files).first(where: { machine.exists($1) })?.0 {
            self.kind = kind
            return
        }
        // What the first process was started with tells where that is not systemd; only root may read it.
        let variables = machine.text("/proc/1/environ")?.split(separator: "\0")
        let told = variables?.first { $0.hasPrefix("container=") }?.dropFirst("container=".count).words.first
        guard let word = machine.word("/run/systemd/container") ?? told else { return nil }
        kind =
            switch word {
            case "docker": .docker
            case "podman": .podman
            case "lxc", "lxc-libvirt": .lxc
            case "systemd-nspawn": .nspawn
            default: .other(word)
            }
    }

    var name: String {
        switch kind {
        case .docker: "Docker"
        case .podman: "Podman"
        case .lxc: "LXC"
        case .lxd: "LXD"
        case .incus: "Incus"
        case .nspawn: "systemd-nspawn"
        case .other(let word): word
        }
    }

    /// How it gets what it lacks.
    func steps(for needs: Need...) -> [Step] {
        let words = needs.flatMap(words)
        switch kind {
        case .docker, .podman, .nspawn:
            return words.isEmpty
                ? [Self.advice(needs)] : [Step("start the container with", words.joined(separator: " "))]
        case .lxc:
            return words.map { Step("a line of the container's configuration (/var/lib/lxc/NAME/config)", $0) }
                + [.advice("start the container again")]
        case .lxd, .incus:
            let command = kind == .lxd ? "lxc" : "incus"
            return words.map {
                Step("on the machine that it runs on, with the container's name", "\(command) config \($0)")
            }
                + [.advice("start the container again")]
        case .other: return [Self.advice(needs)]
        }
    }

    private static func advice(_ needs: [Need]) -> Step {
        .advice("start the container so that it has \(needs.map(\.inWords).joined(separator: ", and "))")
    }

    /// Options, lines or commands; empty where none is known.
    private func words(_ need: Need) -> [String] {
        switch kind {
        case .docker, .podman: Self.ofDocker(need)
        case .lxc: Self.ofLXC(need)
        case .lxd, .incus: Self.ofLXD(need)
        case .nspawn: Self.ofNspawn(need)
        case .other: []
        }
    }

    private static func ofDocker(_ need: Need) -> [String] {
        switch need {
        case .limits: ["--ulimit rtprio=95 --ulimit memlock=-1 --cap-add SYS_NICE"]
        case .cards: ["--device /dev/snd"]
        case .memory: ["--memory 1g"]
        case .roomInSharedMemory: ["--shm-size 256m"]
        case .sharedMemory: ["--tmpfs /dev/shm:rw,mode=1777,size=256m"]
        case .realtimeShare: ["--cpu-rt-runtime=950000"]
        }
    }

    /// Of LXC 2.1 and later (lxc.container.conf(5)). 116 is ALSA's number.
    private static func ofLXC(_ need: Need) -> [String] {
        switch need {
        case .limits: ["lxc.prlimit.rtprio = 95", "lxc.prlimit.memlock = unlimited"]
        case .cards:
            [
                "lxc.cgroup2.devices.allow = c 116:* rwm",
                "lxc.mount.entry = /dev/snd dev/snd none bind,create=dir 0 0",
            ]
        case .memory: ["lxc.cgroup2.memory.max = 1G"]
        case .roomInSharedMemory, .sharedMemory:
            ["lxc.mount.entry = tmpfs dev/shm tmpfs rw,mode=1777,size=256m,create=dir 0 0"]
        case .realtimeShare: ["lxc.cgroup.cpu.rt_runtime_us = 950000"]
        }
    }

    /// Behind `lxc config` or `incus config`.
    private static func ofLXD(_ need: Need) -> [String] {
        switch need {
        case .limits: ["set NAME limits.kernel.rtprio=95 limits.kernel.memlock=unlimited"]
        // 29 is Debian's group audio.
        case .cards:
            ["controlC0", "pcmC0D0p", "pcmC0D0c"].map {
                "device add NAME \($0) unix-char path=/dev/snd/\($0) gid=29"
            }
        case .memory: ["set NAME limits.memory=1GiB"]
        case .roomInSharedMemory, .sharedMemory, .realtimeShare:
            ofLXC(need).map { "set NAME raw.lxc='\($0)'" }
        }
    }

    private static func ofNspawn(_ need: Need) -> [String] {
        switch need {
        case .limits: ["--rlimit=RTPRIO=95 --rlimit=MEMLOCK=infinity --capability=CAP_SYS_NICE"]
        case .cards: ["--bind=/dev/snd --property='DeviceAllow=char-alsa rw'"]
        case .memory: ["--property=MemoryMax=1G"]
        case .roomInSharedMemory, .sharedMemory: ["--tmpfs=/dev/shm:mode=1777,size=256m"]
        case .realtimeShare: []
        }
    }
}

import Testing

@testable import SystemHealth

@Suite("What a user is permitted")
struct UserTests {
    private static let low = MadeUpMachine.limits(priority: "0", memory: "8388608")

    private func steps(_ finding: Finding?) -> [String] {
        finding?.remedy.map { [$0.advice.value, $0.text.value].compactMap(\.self).joined(separator: ": ") } ?? []
    }

    @Test(arguments: [("0", Finding.Weight.problem), ("9", .problem), ("10", .ok), ("unlimited", .ok)])
    func `a real-time priority that jackd cannot have is a problem`(
        _ limit: String, _ weight: Finding.Weight
    ) throws {
        let fixture = try MadeUpMachine(["/proc/self/limits": MadeUpMachine.limits(priority: limit)])
        #expect(fixture.findings("real-time priority").map(\.weight) == [weight])
    }

    @Test(arguments: [
        ("0", Finding.Weight.problem), ("65535", .problem), ("65536", .warning), ("268435455", .warning),
        ("268435456", .ok), ("18446744073709547520", .ok), ("unlimited", .ok),
    ])
    func `less locked memory than JACK needs is worth a warning, and none a problem`(
        _ limit: String, _ weight: Finding.Weight
    ) throws {
        let fixture = try MadeUpMachine(["/proc/self/limits": MadeUpMachine.limits(memory: limit)])
        #expect(fixture.findings("locked memory").map(\.weight) == [weight])
    }

    @Test func `a capability goes before the limit, but not that of a container's own root`() throws {
        var changes = [
            "/proc/self/limits": Self.low, "/proc/self/status": MadeUpMachine.status(user: 0, capabilities: "804000"),
        ]
        var fixture = try MadeUpMachine(changes)
        for subject in ["real-time priority", "locked memory"] {
            #expect(fixture.findings(subject).map(\.weight) == [.ok], "\(subject)")
        }
        changes["/proc/self/uid_map"] = "0 1000 1\n"
        fixture = try MadeUpMachine(changes)
        #expect(fixture.findings("real-time priority").map(\.weight) == [.problem])
    }

    @Test func `who has the rule and the group has to log in again`() throws {
        let fixture = try MadeUpMachine(["/proc/self/limits": Self.low])
        let first = try #require(steps(fixture.findings("real-time priority").first).first)
        #expect(first.contains("log out and in again: /etc/security/limits.d/audio.conf:1"))
        #expect(steps(fixture.findings("locked memory").first).first?.contains("audio.conf:2") == true)
    }

    @Test(arguments: [
        ("@audio hard rtprio 95\n", "printf '@audio - rtprio 95"),
        ("@audio soft rtprio 95\n", "printf '@audio - rtprio 95"),
        ("@audio hard rtprio 95\n@audio soft rtprio 95\n", "log out and in again: /etc/security/limits.d/audio.conf:2"),
    ])
    func `a hard limit alone permits nothing, nor does a soft one`(_ rules: String, _ step: String) throws {
        let fixture = try MadeUpMachine([
            "/proc/self/limits": Self.low, "/etc/security/limits.d/audio.conf": rules,
        ])
        #expect(steps(fixture.findings("real-time priority").first).first?.contains(step) == true)
    }

    @Test func `who is not in the rule's group has to join it`() throws {
        let fixture = try MadeUpMachine([
            "/proc/self/limits": Self.low, "/proc/self/status": MadeUpMachine.status(groups: "1000"),
            "/etc/group": "realtime:x:30:\n", "/etc/security/limits.d/audio.conf": "@realtime - rtprio 95\n",
        ])
        #expect(
            steps(fixture.findings("real-time priority").first).first
                == "sudo usermod --append --groups realtime ada")
        #expect(fixture.findings("groups").map(\.weight) == [.warning])
    }

    @Test func `who was put into the group after the login is not told to join it`() throws {
        let fixture = try MadeUpMachine([
            "/proc/self/limits": Self.low, "/proc/self/status": MadeUpMachine.status(groups: "1000"),
        ])
        #expect(!steps(fixture.findings("real-time priority").first).contains { $0.contains("usermod") })
        let finding = try #require(fixture.findings("groups").first)
        #expect(finding.weight == .warning && finding.statement.contains("after this login"))
    }

    @Test func `root is told of its service and of whom it is not, for no group's rule is meant for root`() throws {
        let fixture = try MadeUpMachine([
            "/proc/self/limits": Self.low, "/proc/self/status": MadeUpMachine.status(user: 0, groups: "29"),
        ])
        let service = "in a systemd service, below [Service]: "
        #expect(steps(fixture.findings("real-time priority").first) == [service + "LimitRTPRIO=95"])
        #expect(steps(fixture.findings("locked memory").first) == [service + "LimitMEMLOCK=infinity"])
        #expect(fixture.findings("groups").map(\.weight) == [.note])
    }

    @Test func `without a rule one is to be written, by jackd's package where that is there`() throws {
        var changes: [String: String?] = [
            "/proc/self/limits": Self.low, "/etc/security/limits.d/audio.conf": "#@audio - rtprio 95\n",
        ]
        var fixture = try MadeUpMachine(changes)
        #expect(
            steps(fixture.findings("real-time priority").first).first?.hasPrefix("printf '@audio - rtprio 95") == true)
        // What others have written there stays.
        #expect(
            steps(fixture.findings("real-time priority").first).first?
                .hasSuffix("| sudo tee -a /etc/security/limits.d/audio.conf") == true)
        changes["/var/lib/dpkg/info/jackd2.list"] = ""
        fixture = try MadeUpMachine(changes)
        #expect(
            steps(fixture.findings("real-time priority").first).first?.contains("dpkg-reconfigure -p high jackd2")
                == true)
    }

    @Test func `in a container the remedy is how it is started`() throws {
        let fixture = try MadeUpMachine(["/proc/self/limits": Self.low, "/.dockerenv": ""])
        #expect(steps(fixture.findings("real-time priority").first).first?.contains("--ulimit rtprio=95") == true)
        #expect(fixture.findings("container").first?.statement.contains("Docker") == true)
        let booted = try MadeUpMachine(["/.dockerenv": "", "/proc/2/comm": "kthreadd\n"])
        #expect(booted.findings("container").isEmpty, "an image that was started as a machine is none")
    }

    @Test(arguments: [
        (["/run/systemd/container": "lxc"], "LXC"), (["/proc/1/environ": "PATH=/\0container=lxc\0"], "LXC"),
        (["/run/systemd/container": "lxc", "/dev/lxd/sock": ""], "LXD"),
        (["/run/systemd/container": "lxc", "/dev/incus/sock": ""], "Incus"),
        (["/run/systemd/container": "systemd-nspawn"], "systemd-nspawn"),
        (["/run/systemd/container": "docker"], "Docker"), (["/run/.containerenv": ""], "Podman"),
    ])
    func `the options of Docker and Podman are told to nobody else`(files: [String: String], name: String) throws {
        let isDocker = ["Docker", "Podman"].contains(name)
        let limits = isDocker ? "--ulimit rtprio=95" : "a real-time priority of 95 (rtprio)"
        let cards = isDocker ? "--device /dev/snd" : "the devices in /dev/snd"
        var changes: [String: String?] = files
        changes["/proc/self/limits"] = Self.low
        // A card whose devices are not here, and a memory limit.
        changes["/dev/snd/pcmC0D0p"] = .some(nil)
        changes["/sys/fs/cgroup/user.slice/memory.max"] = "1048576"
        let fixture = try MadeUpMachine(changes)
        #expect(fixture.findings("container").map(\.statement) == ["This is a container (\(name))."])
        for subject in ["real-time priority", "locked memory", "container"] {
            let found = steps(fixture.findings(subject).first)
            #expect(found.contains { $0.contains(limits) }, "\(subject): \(found)")
        }
        for subject in ["sound cards", "container"] {
            let found = fixture.findings(subject).flatMap { steps($0) }
            #expect(found.contains { $0.contains(cards) }, "\(subject): \(found)")
        }
        let all = Examination(fixture.machine).findings.flatMap { steps($0) }
        #expect(
            all.contains { $0.contains("--ulimit") || $0.contains("--memory 1g") || $0.contains("--shm") } == isDocker)
        #expect(!all.contains { $0.contains("below [Service]") }, "\(all)")
    }

    @Test(arguments: [("-1", Finding.Weight.note), ("0", .problem), ("500000", .warning), ("950000", .ok)])
    func `the share of real time is judged`(_ runtime: String, _ weight: Finding.Weight) throws {
        let fixture = try MadeUpMachine(["/proc/sys/kernel/sched_rt_runtime_us": runtime])
        #expect(fixture.findings("real-time share").map(\.weight) == [weight])
    }

    @Test func `a control group without any real time is a problem, whatever the limits say`() throws {
        let file = "/sys/fs/cgroup/cpu,cpuacct/user/cpu.rt_runtime_us"
        let fixture = try MadeUpMachine(["/proc/self/cgroup": "3:cpu,cpuacct:/user\n", file: "0\n"])
        let finding = try #require(fixture.findings("real-time share").first)
        #expect(finding.weight == .problem && steps(finding) == ["echo 950000 | sudo tee \(file)"])
    }

    @Test func `a control group gets real time behind those above it, and a container from outside`() throws {
        func file(_ group: String) -> String { "/sys/fs/cgroup/cpu\(group)/cpu.rt_runtime_us" }
        var changes: [String: String?] = [
            "/proc/self/cgroup": "1:cpu:/docker/a\n", file(""): "950000\n", file("/docker"): "0\n",
            file("/docker/a"): "0\n",
        ]
        var fixture = try MadeUpMachine(changes)
        #expect(
            steps(fixture.findings("real-time share").first)
                == ["echo 950000 | sudo tee \(file("/docker"))", "echo 950000 | sudo tee \(file("/docker/a"))"])
        changes["/.dockerenv"] = ""
        fixture = try MadeUpMachine(changes)
        #expect(
            steps(fixture.findings("real-time share").first)
                == ["start the container with: --cpu-rt-runtime=950000"])
    }
}

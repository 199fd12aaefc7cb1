import Testing

@testable import SystemHealth

@Suite("Cards and sound servers")
struct SoundTests {
    private static let pipeWire = MadeUpMachine.process(600, "pipewire", arguments: ["/usr/bin/pipewire"])
    private static let withoutJackd: [String: String?] = ["/proc/500/stat": nil]

    private static func held(by process: Int) -> [String: String] {
        [
            "/proc/asound/card0/pcm0p/sub0/status": "state: RUNNING\nowner_pid   : \(process)\n",
            "/proc/asound/card0/pcm0p/sub0/hw_params": "rate: 96000 (96000/1)\nperiod_size: 32\n",
        ]
    }

    @Test func `without a card the dummy backend is named, and a folder that hides the cards is no lack of them`()
        throws
    {
        let hidden = try MadeUpMachine(["/proc/asound/cards": nil, "/proc/asound/.keep": ""])
        #expect(hidden.findings("sound cards").map(\.weight) == [.unseen])
        #expect(try MadeUpMachine(["/proc/asound/cards": nil]).findings("sound cards").map(\.weight) == [.warning])
        let empty = try #require(
            try MadeUpMachine(["/proc/asound/cards": "--- no soundcards ---\n"]).findings("sound cards").first)
        #expect(empty.weight == .warning && empty.remedy.contains { $0.text.value == "jackd -d dummy" })
    }

    @Test func `a card that has MIDI alone is no sound card`() throws {
        let midi = " 0 [Launchpad      ]: USB-Audio - Launchpad Mini\n                      Focusrite Launchpad Mini\n"
        let analog = " 1 [PCH            ]: HDA-Intel - HDA Intel PCH\n                      HDA Intel PCH at 0xa1\n"
        var changes = Self.withoutJackd
        changes["/proc/asound/cards"] = midi + analog
        changes["/proc/asound/pcm"] = "01-00: ALC257 Analog : ALC257 Analog : playback 1 : capture 1\n"
        let both = try MadeUpMachine(changes)
        #expect(both.findings("sound cards").map(\.statement) == ["There is HDA-Intel - HDA Intel PCH (hw:PCH)."])
        #expect(
            both.findings("JACK server").first?.remedy.first?.text.value == "jackd -d alsa -d hw:PCH -r 48000 -p 64")
        changes["/proc/asound/cards"] = midi
        changes["/proc/asound/pcm"] = ""
        changes["/dev/snd/pcmC0D0p"] = .some(nil)
        let alone = try MadeUpMachine(changes)
        #expect(alone.findings("sound cards").map(\.statement) == ["There is no sound card."])
        #expect(alone.findings("JACK server").first?.remedy.first?.text.value == "jackd -d dummy -r 48000 -p 64")
        #expect(alone.findings("card's interrupt").isEmpty)
    }

    @Test func `cards that the user may not open are a problem`() throws {
        let fixture = try MadeUpMachine()
        #expect(fixture.findings("sound cards").first?.statement == "There is HDA-Intel - HDA Intel PCH (hw:PCH).")
        fixture.machine.mayUse = { _ in false }
        #expect(fixture.findings("sound cards").first?.weight == .problem)
    }

    @Test func `a server's words are read, short and long`() throws {
        let cases: [([String], String)] = [
            (
                ["jackd", "-d", "alsa", "-r48000", "-p", "64"],
                "server default) answers: driver alsa, 64 frames, 48000 Hz when it was started, async"
            ),
            (
                ["jackd", "-nstage", "-S", "--driver=dummy", "--period=32"],
                "server stage) answers: driver dummy, 32 frames when it was started, sync"
            ),
            (["jackd", "--name", "x", "-P70", "-p", "512", "-ddummy"], "server x) answers: driver dummy, async"),
            (
                ["jackd", "-Rd", "dummy", "-r48000", "-p64"],
                "server default) answers: driver dummy, 64 frames, 48000 Hz when it was started, async"
            ),
            (["jackd", "-vS", "-nx", "-d", "dummy"], "server x) answers: driver dummy, sync"),
            (["jackd", "-rTp", "2048", "-rvdalsa", "-dhw:0", "-p", "32"], "answers: driver alsa, 32 frames"),
            (["jackd", "-P", "10", "-n", "-S", "-d", "dummy"], "server -S) answers: driver dummy, async"),
            (["jackd", "--nam", "x", "-d", "dummy", "--per", "512"], "server x) answers: driver dummy, 512 frames"),
            (["jackd", "-d", "net", "-p", "19000"], "server default) answers: driver net, async"),
            (["jackd", "-d", "proxy", "-p", "7"], "server default) answers: driver proxy, async"),
            (["jackd", "--clocksource=s", "--audio-driver", "dummy", "-S"], "answers: driver dummy, async"),
        ]
        for (arguments, says) in cases {
            let sockets = ["stage", "x", "-S"].map { ("/dev/shm/jack_\($0)_1000_0", "") }
            let fixture = try MadeUpMachine(
                MadeUpMachine.jackd(arguments: arguments).merging(sockets) { $1 })
            fixture.machine.answers = { _ in true }
            let finding = try #require(fixture.findings("JACK server").first)
            #expect(finding.statement.contains(says) && finding.weight == .ok, "\(finding.statement)")
            // 20 s of a processor in 1000 s.
            #expect(finding.statement.contains("2.0 % of a processor"))
        }
    }

    @Test func `the card's own period goes before the one that the server was started with`() throws {
        let fixture = try MadeUpMachine(Self.held(by: 500))
        fixture.machine.answers = { _ in true }
        #expect(
            fixture.findings("JACK server").first?.statement.contains("driver alsa, 32 frames, 96000 Hz, async") == true
        )
        #expect(fixture.findings("other sound servers").map(\.weight) == [.ok])
    }

    @Test func `a server that is stopped, silent or not in real time is named as such`() throws {
        func finding(_ changes: [String: String], answers: Bool) throws -> Finding? {
            let fixture = try MadeUpMachine(changes)
            fixture.machine.answers = { _ in answers }
            return fixture.findings("JACK server").first
        }
        let stopped = try finding(MadeUpMachine.jackd(state: "T"), answers: false)
        #expect(stopped?.weight == .problem && stopped?.remedy.first?.text.value == "kill -CONT 500")
        let silent = try finding([:], answers: false)
        #expect(silent?.weight == .problem && silent?.statement.contains("does not answer") == true)
        let slow = try finding(
            MadeUpMachine.jackd(arguments: ["jackd", "-r", "-d", "alsa"], priority: 0), answers: true)
        #expect(slow?.weight == .warning && slow?.statement.contains("as it was told") == true)
        let joined = try finding(
            MadeUpMachine.jackd(arguments: ["jackd", "-vrd", "alsa"], priority: 0), answers: true)
        #expect(joined?.statement.contains("as it was told") == true)
        // Real time that its driver's -r has nothing to do with.
        let unable = try finding(
            MadeUpMachine.jackd(arguments: ["jackd", "-rR", "-dalsa", "-r48000"], priority: 0), answers: true)
        #expect(unable?.statement.contains("as it was told") == false)
    }

    @Test func `a server whose socket is elsewhere is nobody's to kill, and a jackdbus without one is idle`() throws {
        let elsewhere = try MadeUpMachine(["/dev/shm/jack_default_1000_0": nil, "/dev/shm/.keep": ""])
        let finding = try #require(elsewhere.findings("JACK server").first)
        #expect(finding.weight == .note && finding.statement.contains("out of reach") && finding.remedy.isEmpty)
        var changes: [String: String?] = MadeUpMachine.process(
            500, "jackdbus", arguments: ["/usr/bin/jackdbus", "auto"])
        changes["/dev/shm/jack_default_1000_0"] = .some(nil)
        changes["/dev/shm/.keep"] = ""
        let idle = try MadeUpMachine(changes)
        #expect(idle.findings("JACK server").first?.remedy.first?.text.value == "jack_control start")
    }

    @Test(arguments: [false, true])
    func `a server that is shared with a group where programs are not, or the other way round, is nobody's to kill`(
        isShared: Bool
    ) throws {
        let (own, shared) = ("/dev/shm/jack_default_1000_0", "/dev/shm/jack_default_0")
        let fixture = try MadeUpMachine(isShared ? [own: nil, shared: ""] : ["/dev/shm/jack_default_more_1000_0": ""])
        fixture.machine.environment["JACK_PROMISCUOUS_SERVER"] = isShared ? nil : "audio"
        let finding = try #require(fixture.findings("JACK server").first)
        #expect(finding.weight == .warning, "\(finding.statement)")
        #expect(
            finding.statement.contains(isShared ? "is shared with a group, and" : "is not shared with a group, and"))
        #expect(
            finding.remedy.map(\.text.value)
                == [isShared ? "JACK_PROMISCUOUS_SERVER=GROUP" : "unset JACK_PROMISCUOUS_SERVER"])
    }

    @Test func `a server of another user is not knocked at`() throws {
        let fixture = try MadeUpMachine(MadeUpMachine.process(500, "jackd", user: 1001))
        fixture.machine.answers = { name in
            Issue.record("knocked at \(name)")
            return true
        }
        func foreign(_ fixture: MadeUpMachine) -> Finding? {
            fixture.findings("JACK server").first { $0.statement.hasPrefix("jackd of ") }
        }
        let stranger = try #require(foreign(fixture))
        #expect(stranger.statement == "jackd of user 1001 (process 500) runs, and lets only programs of that user in.")
        #expect(stranger.remedy.first?.text.value == "JACK_PROMISCUOUS_SERVER=audio")
        // The page puts a colon between the advice and the text.
        #expect(stranger.remedy.first?.advice.value?.hasSuffix(":") == false)
        let shared = try MadeUpMachine(
            MadeUpMachine.process(500, "jackd", user: 1001).merging([
                "/dev/shm/jack_default_0": "",
                "/etc/passwd": "ada:x:1000:1000::/:/bin/sh\nbob:x:1001:1001::/:/bin/sh\n",
            ]) { $1 })
        #expect(foreign(shared)?.statement == "jackd of bob (process 500) runs, and is shared with a group.")
    }

    @Test func `without a server the command that starts one on the card is given`() throws {
        let fixture = try MadeUpMachine(Self.withoutJackd)
        let finding = try #require(fixture.findings("JACK server").first)
        #expect(finding.weight == .note && finding.remedy.first?.text.value == "jackd -d alsa -d hw:PCH -r 48000 -p 64")
        let bare = try MadeUpMachine(["/proc/500/stat": nil, "/usr/bin/jackd": nil])
        let ended = try MadeUpMachine(MadeUpMachine.jackd(state: "Z"))
        #expect(ended.findings("JACK server").first?.statement == "No JACK server of this user runs.")
        #expect(bare.findings("JACK server").first?.remedy.first?.text.value == "sudo apt install jackd2")
    }

    @Test func `a card in the hands of another program is worth a warning`() throws {
        let pulse = MadeUpMachine.process(700, "pulseaudio").merging(Self.held(by: 700)) { $1 }
        let finding = try #require(try MadeUpMachine(pulse).findings("other sound servers").first)
        #expect(finding.weight == .warning && finding.statement.contains("pulseaudio (process 700) has the card PCH"))
        #expect(finding.remedy.first?.text.value?.contains("stop pulseaudio.socket") == true)
        let idle = MadeUpMachine.process(700, "pulseaudio")
        #expect(try MadeUpMachine(idle).findings("other sound servers").map(\.weight) == [.note])
        var alone: [String: String?] = Self.pipeWire.merging(Self.held(by: 600)) { $1 }
        alone["/proc/500/stat"] = .some(nil)
        #expect(try MadeUpMachine(alone).findings("other sound servers").map(\.weight) == [.ok])
    }

    @Test func `a card in the hands of a program outside of the container is no reason to end process 0`() throws {
        let findings = try MadeUpMachine(Self.held(by: 0)).findings("other sound servers")
        #expect(findings.map(\.weight) == [.unseen])
        #expect(findings.first?.statement == "Which program has the card PCH open cannot be seen.")
        #expect(findings.first?.remedy.isEmpty == true)
    }

    @Test func `where others' programs are hidden nobody says that none runs`() throws {
        let fixture = try MadeUpMachine(["/proc/1/stat": nil])
        #expect(fixture.findings("other sound servers").map(\.weight) == [.unseen])
        #expect(fixture.findings("leftovers").map(\.weight) == [.unseen])
    }

    @Test func `PipeWire is asked for its quantum, and its files where it does not answer`() throws {
        let file = "/home/ada/.config/pipewire/pipewire.conf.d/q.conf"
        let fixture = try MadeUpMachine(
            Self.pipeWire.merging([
                file: "context.properties = { default.clock.quantum = 128 }\n",
                "/usr/share/pipewire/pipewire.conf": "  #default.clock.quantum = 16\n  default.clock.quantum = 1024\n",
            ]) { $1 })
        let replaced = try MadeUpMachine(
            Self.pipeWire.merging([
                "/etc/pipewire/pipewire.conf": "{ default.clock.quantum=32 }\n",
                "/usr/share/pipewire/pipewire.conf": "default.clock.quantum = 1024\n",
            ]) { $1 })
        #expect(replaced.findings("PipeWire's quantum").first?.statement == "PipeWire's quantum is 32 frames.")
        #expect(fixture.findings("PipeWire's quantum").first?.statement == "PipeWire's quantum is 128 frames.")
        #expect(fixture.findings("PipeWire's quantum").first?.sources == [file])
        fixture.machine.ask = { _ in
            """
            Found "settings" metadata 32
            update: id:0 key:'clock.quantum' value:'1024' type:''
            update: id:0 key:'clock.force-quantum' value:'0' type:''
            """
        }
        #expect(fixture.findings("PipeWire's quantum").map(\.weight) == [.note], "jackd runs")
        fixture.machine.ask = { _ in "update: id:0 key:'clock.force-quantum' value:'64' type:''" }
        #expect(fixture.findings("PipeWire's quantum").first?.statement == "PipeWire's quantum is 64 frames, by force.")
    }

    @Test func `a quantum that nobody set is the standard one, and long where PipeWire is the server`() throws {
        var changes: [String: String?] = Self.pipeWire
        changes["/proc/500/stat"] = .some(nil)
        let finding = try #require(try MadeUpMachine(changes).findings("PipeWire's quantum").first)
        #expect(finding.weight == .warning && finding.statement.contains("standard of 1024"))
    }

    @Test func `a libjack whose server does not run is named`() throws {
        let pipeWires = try MadeUpMachine()
        pipeWires.machine.libjack = ("3.1 (using PipeWire 1.0)", true)
        #expect(pipeWires.findings("libjack").map(\.weight) == [.problem])
        var changes: [String: String?] = Self.pipeWire
        changes["/proc/500/stat"] = .some(nil)
        #expect(
            try MadeUpMachine(changes).findings("libjack").first?.remedy.prefix(2).map(\.text.value) == [
                "sudo apt install pipewire-jack", "pw-jack PROGRAM",
            ])
    }

    @Test func `too little shared memory is a problem, but not where a server has its part already`() throws {
        let fixture = try MadeUpMachine(Self.withoutJackd)
        fixture.machine.space = { _ in Machine.Space(total: 64 << 20, free: 64 << 20) }
        #expect(fixture.findings("shared memory").map(\.weight) == [.problem])
        let served = try MadeUpMachine(["/dev/shm/jack-shm-registry": MadeUpMachine.registry([("default", 101)])])
        served.machine.space = { _ in Machine.Space(total: 256 << 20, free: 64 << 20) }
        #expect(served.findings("shared memory").map(\.weight) == [.ok])
        // The process of a container that has a /dev/shm of its own.
        let elsewhere = try MadeUpMachine(["/dev/shm/jack_default_1000_0": nil, "/dev/shm/.keep": ""])
        elsewhere.machine.space = { _ in Machine.Space(total: 64 << 20, free: 64 << 20) }
        #expect(elsewhere.findings("shared memory").map(\.weight) == [.problem])
    }

    @Test func `shared memory that cannot be written to is a problem, with a remedy for where it is`() throws {
        let fixture = try MadeUpMachine()
        fixture.machine.space = { _ in Machine.Space(total: 256 << 20, free: 256 << 20) }
        #expect(fixture.findings("shared memory").map(\.weight) == [.ok])
        fixture.machine.mayUse = { $0 != "/dev/shm" }
        let finding = try #require(fixture.findings("shared memory").first)
        #expect(finding.weight == .problem && finding.statement.contains("read-only"))
        #expect(finding.remedy.first?.text.value?.contains("remount,rw") == true)
    }
}

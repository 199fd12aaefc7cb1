import Testing

@testable import SystemHealth

@Suite("What the kernel and the processors do")
struct KernelTests {
    private func weights(_ subject: String, _ changes: [String: String?]) throws -> [Finding.Weight] {
        try MadeUpMachine(changes).findings(subject).map(\.weight)
    }

    @Test func `a governor that follows the load is named with its driver and the turbo`() throws {
        let cpu = "/sys/devices/system/cpu"
        let fixture = try MadeUpMachine([
            "\(cpu)/cpu1/cpufreq/scaling_governor": "powersave\n",
            "\(cpu)/cpu0/cpufreq/scaling_driver": "intel_pstate\n",
            "\(cpu)/intel_pstate/no_turbo": "0\n",
        ])
        let finding = try #require(fixture.findings("frequency governor").first)
        #expect(finding.weight == .warning)
        #expect(finding.statement.contains("(performance, powersave, driver intel_pstate, turbo on)"))
        #expect(finding.remedy.first?.text.value == "echo performance | sudo tee \(cpu)/cpu*/cpufreq/scaling_governor")
        #expect(try weights("frequency governor", ["\(cpu)/cpu0/cpufreq/scaling_governor": nil]) == [.unseen])
    }

    @Test(arguments: [
        ("#1 SMP PREEMPT_DYNAMIC x", "preempt=full", Finding.Weight.ok),
        ("#1 SMP PREEMPT_DYNAMIC x", "preempt=none", .warning),
        ("#1 SMP PREEMPT_DYNAMIC x", "preempt=voluntary", .note), ("#1 SMP x", "", .unseen),
        ("#1 SMP PREEMPT_RT x", "", .ok),
    ])
    func `a kernel that does not let itself be interrupted is named`(
        _ version: String, _ line: String, _ weight: Finding.Weight
    ) throws {
        let fixture = try MadeUpMachine(["/proc/sys/kernel/version": version, "/proc/cmdline": line])
        let finding = try #require(fixture.findings("kernel preemption").first)
        #expect(finding.weight == weight)
        if weight == .warning { #expect(finding.remedy.contains { $0.text.value == "preempt=full" }) }
    }

    @Test func `a card's interrupt is judged by its thread's priority beside the server's`() throws {
        #expect(try weights("card's interrupt", MadeUpMachine.jackd(priority: 60)) == [.warning])
        let fixture = try MadeUpMachine(MadeUpMachine.jackd(priority: 60))
        #expect(fixture.findings("card's interrupt").first?.remedy.first?.text.value == "sudo chrt --fifo --pid 70 40")
        #expect(try weights("card's interrupt", ["/proc/40/stat": nil, "/proc/2/comm": "kthreadd\n"]) == [.note])
        #expect(try weights("card's interrupt", ["/proc/interrupts": nil]) == [.unseen])
    }

    @Test func `where the kernel's threads are hidden nobody says that the card's interrupt is none`() throws {
        #expect(try weights("card's interrupt", ["/proc/40/stat": nil, "/.dockerenv": ""]) == [.unseen])
        #expect(try weights("card's interrupt", ["/proc/40/stat": nil, "/proc/1/stat": nil]) == [.unseen])
    }

    @Test func `an interrupt that the card shares is worth a warning, and a USB card is its controller's`() throws {
        let line = " 33:   12   IR-IO-APIC   16-fasteoi   ehci_hcd:usb1, snd_hda_intel:card0\n"
        #expect(try weights("card's interrupt", ["/proc/interrupts": line]) == [.warning, .ok])
        let usb = [
            "/proc/interrupts": " 40:  1  IR-PCI-MSI 327680-edge  xhci_hcd\n", "/proc/asound/card0/usbid": "1:2",
        ]
        #expect(try MadeUpMachine(usb).findings("card's interrupt").first?.statement.contains("40 (xhci_hcd)") == true)
    }

    @Test func `a card's interrupt is seen on a machine of hundreds of processors`() throws {
        let counts = String(repeating: "          0", count: 256)
        let others = (100..<600).map { "\($0): \(counts)  IR-PCI-MSI 1-edge  nvme0q\($0)\n" }.joined()
        let card = " 33: \(counts)  IR-PCI-MSI 514048-edge  snd_hda_intel:card0\n"
        #expect(others.utf8.count > 1 << 20)
        #expect(try weights("card's interrupt", ["/proc/interrupts": others + card]) == [.ok])
    }

    @Test(arguments: [("tsc", Finding.Weight.ok), ("kvm-clock", .ok), ("hpet", .warning), ("acpi_pm", .warning)])
    func `a clock that is slow to read is worth a warning`(_ name: String, _ weight: Finding.Weight) throws {
        let file = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
        #expect(try weights("clock", [file: name]).contains(weight))
        #expect(try weights("clock", [file: name]).count == 2)
    }

    @Test func `timers that go by the tick, a great slack, and a jackd on the HPET are named`() throws {
        let coarse = try MadeUpMachine()
        coarse.machine.timerResolution = 4_000_000
        #expect(coarse.findings("clock").first?.statement == "Timers wake on multiples of 4000 µs only.")
        #expect(try weights("clock", ["/proc/self/timerslack_ns": "40000000\n"]).contains(.note))
        let hpet = MadeUpMachine.jackd(arguments: ["jackd", "-c", "hpet", "-d", "alsa"])
        #expect(try weights("clock", hpet).contains(.warning))
    }

    @Test func `swap is a note only where the kernel is quick to use it`() throws {
        let swaps = "Filename\tType\tSize\tUsed\tPriority\n/dev/sda2 partition 8388604 5120 -2\n"
        let fixture = try MadeUpMachine(["/proc/swaps": swaps])
        let finding = try #require(fixture.findings("swap").first)
        #expect(finding.weight == .note && finding.statement.contains("5 MB of it in use"))
        #expect(finding.statement.contains("swappiness 60"))
        #expect(try weights("swap", ["/proc/swaps": swaps, "/proc/sys/vm/swappiness": "10\n"]) == [.ok])
    }

    @Test func `beside groups of the first version those of the second have a folder of their own`() throws {
        let fixture = try MadeUpMachine([
            "/proc/self/cgroup": "1:cpu,cpuacct:/x\n0::/a\n", "/sys/fs/cgroup/unified/a/memory.max": "134217728\n",
        ])
        let finding = try #require(fixture.findings("memory limit").first)
        #expect(finding.weight == .warning && finding.sources == ["/sys/fs/cgroup/unified/a/memory.max"])
    }

    @Test func `the least memory that a control group or one above it grants counts`() throws {
        let changes = [
            "/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/memory.max": "134217728\n",
            "/sys/fs/cgroup/a/b/memory.max": "1073741824\n",
        ]
        let finding = try #require(try MadeUpMachine(changes).findings("memory limit").first)
        #expect(finding.weight == .warning && finding.statement.contains("128 MB"))
        #expect(finding.sources == ["/sys/fs/cgroup/a/memory.max"])
        let soft = try #require(
            try MadeUpMachine(["/proc/self/cgroup": "0::/a\n", "/sys/fs/cgroup/a/memory.high": "268435456\n"])
                .findings("memory limit").first)
        #expect(soft.weight == .warning && soft.statement.contains("256 MB"))
        #expect(soft.remedy.first?.text.value == "MemoryHigh=1G")
        let old = [
            "/proc/self/cgroup": "4:memory:/x\n",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
        ]
        #expect(try weights("memory limit", old) == [.ok])
    }

    @Test func `a virtual machine is named, and time that its host took`() throws {
        let fixture = try MadeUpMachine([
            "/proc/cpuinfo": "flags\t: fpu hypervisor\n", "/sys/class/dmi/id/product_name": "KVM\n",
            "/proc/stat": "cpu 10 0 10 960 0 0 0 20 0 0\n",
        ])
        let findings = fixture.findings("virtual machine")
        #expect(findings.map(\.weight) == [.warning, .note])
        #expect(findings[0].statement.contains("2.0 %") && findings[1].statement.contains("(KVM)"))
        let calm = try MadeUpMachine([
            "/proc/cpuinfo": "flags\t: fpu hypervisor\n", "/proc/stat": "cpu 100000 0 0 899999 0 0 0 1 0 0\n",
        ])
        #expect(calm.findings("virtual machine").map(\.weight) == [.note], "0.0 % is nothing to tell")
    }
}

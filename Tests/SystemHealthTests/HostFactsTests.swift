import AudioFigures
import Foundation
import Jack
import SystemHealth
import Testing

@Suite("Facts about the machine") struct HostFactsTests {
    @Test func `name the processor as its architecture does`() {
        let intel = """
            processor\t: 0
            model\t\t: 85
            model name\t: Intel(R) Xeon(R) CPU @ 2.00GHz
            stepping\t: 3

            processor\t: 1
            model name\t: another
            """
        #expect(HostFacts.processor(intel) == "Intel(R) Xeon(R) CPU @ 2.00GHz")
        let raspberry = """
            processor\t: 0
            BogoMIPS\t: 108.00
            CPU implementer\t: 0x41
            CPU part\t: 0xd08

            Hardware\t: BCM2835
            Model\t\t: Raspberry Pi 4 Model B Rev 1.4
            """
        #expect(HostFacts.processor(raspberry) == "Raspberry Pi 4 Model B Rev 1.4")
        let server = "processor\t: 0\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n"
        #expect(HostFacts.processor(server) == "implementer 0x41, part 0xd0c")
        #expect(HostFacts.processor("processor\t: 0\nmodel name\t:\n") == nil)
        #expect(HostFacts.processor("") == nil)
    }

    private func preemption(
        realtime: String? = nil, debug: String? = nil, version: String = "#1 SMP Debian 6.1.0-1",
        commandLine: String? = nil, configuration: String? = nil
    ) -> String? {
        HostFacts.preemption(
            realtime: realtime, debug: debug, version: version, commandLine: commandLine, configuration: configuration)
    }

    @Test func `tell the preemption from what the kernel shows of it`() {
        let dynamic = "#1 SMP PREEMPT_DYNAMIC Debian 6.1.0-1 (2024-01-01)"
        let configuration = "CONFIG_PREEMPT_BUILD=y\nCONFIG_PREEMPT_VOLUNTARY=y\n# CONFIG_PREEMPT is not set\n"
        #expect(preemption() == nil)
        #expect(preemption(version: dynamic) == nil)
        #expect(preemption(realtime: "1\n", version: dynamic) == "rt")
        #expect(preemption(realtime: "0\n") == nil)
        #expect(preemption(version: "#1 SMP PREEMPT_RT Debian") == "rt")
        #expect(preemption(version: "#1 SMP PREEMPT Tue") == "full")
        #expect(preemption(debug: "none voluntary (full) lazy\n", version: dynamic) == "full")
        #expect(preemption(debug: "(none) voluntary full\n", version: dynamic, commandLine: "preempt=full") == "none")
        #expect(preemption(version: dynamic, commandLine: "root=/dev/sda preempt=full quiet\n") == "full")
        #expect(preemption(version: dynamic, commandLine: "quiet", configuration: configuration) == "voluntary")
        #expect(preemption(version: dynamic, commandLine: "preempt=odd", configuration: configuration) == "voluntary")
        #expect(preemption(configuration: "CONFIG_PREEMPT_NONE=y\n") == "none")
    }

    @Test func `of this machine are there`() throws {
        var scheduling = try #require(Scheduling.ofThisThread)
        scheduling.policy = .fifo
        scheduling.priority = 5
        let facts = HostFacts.current()
        // As the kernel lets us run; /proc may name processors too that the machine only has room for.
        #expect(facts.cores.value == ProcessInfo.processInfo.activeProcessorCount)
        #expect(facts.kernel.value?.first?.isNumber == true)
        #expect(SchedulingFacts(scheduling) == SchedulingFacts(policy: "SCHED_FIFO", priority: 5))
        scheduling.policy = .other
        #expect(SchedulingFacts(scheduling) == SchedulingFacts(policy: "SCHED_OTHER", priority: 0))
    }
}

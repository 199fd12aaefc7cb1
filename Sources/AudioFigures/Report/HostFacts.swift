/// What a report says of the machine. What the kernel does not show is `null`.
public struct HostFacts: Codable, Sendable, Equatable {
    /// As in `/proc/cpuinfo`.
    public var cpu: Nullable<String>
    /// Processors that this program may use.
    public var cores: Nullable<Int>
    /// As `uname -r` has it.
    public var kernel: Nullable<String>
    /// `none`, `voluntary`, `full`, `lazy` or `rt`.
    public var preemption: Nullable<String>
    /// How the processor's frequency is chosen, as `performance`.
    public var governor: Nullable<String>

    /// `nil` is what the system does not tell.
    public init(cpu: String?, cores: Int?, kernel: String?, preemption: String?, governor: String?) {
        self.cpu = Nullable(cpu)
        self.cores = Nullable(cores)
        self.kernel = Nullable(kernel)
        self.preemption = Nullable(preemption)
        self.governor = Nullable(governor)
    }
}

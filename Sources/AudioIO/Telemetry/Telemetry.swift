import AudioRealtime
import Synchronization

/// The reader's end of a ring of records: keeps the account of them and passes them on.
package final class Telemetry: Sendable {
    private let state: Mutex<State>

    private struct State: ~Copyable {
        var records: Consumer<CycleRecord>
        var account: CycleAccount?
        /// In hertz, oldest first.
        var newRates: [Int] = []
        var listener: (@Sendable ([CycleRecord]) -> Void)?

        init(records: consuming Consumer<CycleRecord>) { self.records = records }

        mutating func read() {
            var batch: [CycleRecord] = []
            while let record = records.pop() {
                let rate = account?.sampleRate
                account?.add(record)
                if let account, account.sampleRate != rate { newRates.append(Int(account.sampleRate)) }
                if listener != nil { batch.append(record) }
            }
            if !batch.isEmpty { listener?(batch) }
        }
    }

    package init(_ records: consuming Consumer<CycleRecord>) { state = Mutex(State(records: records)) }

    /// What is read from now on belongs to a client that was opened again.
    ///
    /// - Parameter sampleRate: in hertz.
    package func begin(sampleRate: Int) {
        state.withLock { state in
            state.newRates = []
            if state.account?.breakContinuity(sampleRate: sampleRate) == nil {
                state.account = CycleAccount(sampleRate: sampleRate)
            }
        }
    }

    /// Reads what there is. Under the lock, so that batches arrive in order. Thread: the collector, or control.
    package func collect() { state.withLock { $0.read() } }

    /// Reads what there is, and tells of all that was read; `nil` before the first client.
    var account: CycleAccount? {
        state.withLock { state in
            state.read()
            return state.account
        }
    }

    /// The present rate in hertz, as far as it was read of; 0 before the first client.
    var sampleRate: Int { state.withLock { Int($0.account?.sampleRate ?? 0) } }

    /// How many cycles have been read of.
    var cycles: UInt64 {
        state.withLock { state in
            state.read()
            return state.account?.cycles ?? 0
        }
    }

    /// The sample rates in hertz that the server has changed to since the last call, in order: what was rendered at, and
    /// not what was announced.
    func takeNewRates() -> [Int] {
        state.withLock { state in
            state.read()
            defer { state.newRates = [] }
            return state.newRates
        }
    }

    /// Cycles whose record found no room, as of the last record that was read.
    package var lostRecords: UInt64 { state.withLock { $0.account?.lostRecords ?? 0 } }

    func takeWindow() -> IntervalWindow { state.withLock { $0.account?.takeWindow() ?? IntervalWindow() } }

    package func listen(_ listener: (@Sendable ([CycleRecord]) -> Void)?) {
        state.withLock { state in
            state.read()
            state.listener = listener
        }
    }
}

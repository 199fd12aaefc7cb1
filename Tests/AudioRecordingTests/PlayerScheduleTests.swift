import AudioRealtime
import Testing

@testable import AudioRecording

@Suite("A player's orders") struct PlayerScheduleTests {
    /// Of a player whose audio thread does not run.
    private func schedule() -> PlayerSchedule {
        var schedule = PlayerSchedule()
        let orders = Ring<PlayerOrder>(capacity: 4)
        schedule.begin(
            PlayerSchedule.Side(
                orders: orders.producer, counters: Cell(PlayerCounters()), keeper: PlayerKeeper(), channels: 1))
        return schedule
    }

    @Test func `become no more while nothing takes them`() {
        var schedule = schedule()
        schedule.follow(sampleRate: 48_000)
        for frame in 0..<10_000 { schedule.stop(at: UInt64(frame % 100)) }
        // One that cancels before each cue that is handed over, and one behind the last.
        let count = schedule.outbox.count
        #expect(count <= 2 * PlayerState.capacity + 1)
    }

    @Test func `of stops, one after the other, are one for the earliest frame`() throws {
        var schedule = schedule()
        for frame in [70, 30, 90] { schedule.stop(at: UInt64(frame)) }
        let outbox = schedule.outbox
        #expect(outbox.count == 1)
        guard case .cancel(from: 30) = outbox.first else {
            Issue.record("\(outbox)")
            return
        }
    }
}

import AudioIO
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

    @Test(arguments: [Player.Start.frame(1 << 40), .afterPrevious])
    func `are left out where too many things wait, and told`(start: Player.Start) {
        var schedule = schedule()
        let item = BufferSource(AudioBuffer([[0]]), sampleRate: nil, loops: false)
        for _ in 0..<PlayerSchedule.limit { schedule.play([Playback(item)], at: start) }
        #expect(schedule.failure == nil)
        let refused = Playback(item)
        schedule.play([refused], at: start)
        #expect(refused.isDone && refused.failure?.reason.contains("wait to be played") == true)
        #expect(schedule.failure == refused.failure)
        schedule.stop(at: 0)
        let taken = Playback(item)
        schedule.play([taken], at: start)
        #expect(!taken.isDone)
    }

    @Test func `are done in the order of their frames, and of one frame as they came`() {
        var schedule = schedule()
        let items = (0..<5).map { _ in Playback(BufferSource(AudioBuffer([[0]]), sampleRate: nil, loops: false)) }
        for (item, frame) in zip(items, [30, 10, 30, 20, 10]) { schedule.play([item], at: .frame(UInt64(frame))) }
        schedule.stop(at: 30)
        #expect(items.map(\.isDone) == [true, false, true, false, false])
        schedule.stop(at: 11)
        #expect(items.map(\.isDone) == [true, false, true, true, false])
        schedule.stop(at: 10)
        #expect(items.map(\.isDone) == [true, true, true, true, true])
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

    /// As the worker does.
    private func work(_ schedule: inout PlayerSchedule) {
        schedule.work()
        while let opening = schedule.takeOpening() {
            opening.open()
            schedule.end(opening)
            schedule.work()
        }
    }

    @Test func `to go on at another time, twice before it is opened there, are the last one, and what follows stays`() {
        var schedule = schedule()
        schedule.follow(sampleRate: 48_000)
        let sound = AudioBuffer([[Float](repeating: 0.5, count: 480_000)])
        let items = (0..<2).map { _ in Playback(BufferSource(sound, sampleRate: nil, loops: false)) }
        schedule.play(items, at: .now)
        #expect(schedule.current() == nil)
        work(&schedule)
        #expect(schedule.current() === items[0])
        let moves = [3.0, 5].map { schedule.seek(to: $0) }
        #expect(moves == [true, true] && items[0].seconds == 5)
        work(&schedule)
        #expect(schedule.current() === items[0] && items[0].seconds == 5)
        #expect(schedule.cancel([items[1]]) == 1)
    }

    @Test func `to follow what was taken back follow what plays`() {
        var schedule = schedule()
        schedule.follow(sampleRate: 48_000)
        let sound = AudioBuffer([[Float](repeating: 0.5, count: 480_000)])
        let items = (0..<3).map { _ in Playback(BufferSource(sound, sampleRate: nil, loops: false)) }
        schedule.play([items[0]], at: .now)
        work(&schedule)
        schedule.play([items[1]], at: .frame(1 << 40))
        let count = schedule.cancel([items[1]])
        schedule.play([items[2]], at: .afterPrevious)
        work(&schedule)
        #expect(count == 1)
        // Behind nothing the other one would be heard at once, instead of it.
        #expect(schedule.current() === items[0])
    }

    @Test func `are taken by nobody twice while something is opened, and what is dropped meanwhile goes`() {
        var schedule = schedule()
        schedule.follow(sampleRate: 48_000)
        let item = Playback(BufferSource(AudioBuffer([[0.5]]), sampleRate: nil, loops: false))
        schedule.play([item], at: .now)
        schedule.work()
        guard let opening = schedule.takeOpening() else {
            Issue.record("nothing is to be opened")
            return
        }
        #expect(schedule.takeOpening() == nil)
        opening.open()
        schedule.stop(at: 0)
        schedule.end(opening)
        work(&schedule)
        #expect(item.isDone && item.playedFrames == 0 && schedule.feeds.isEmpty)
    }

    /// Its old feed fades out: only then is it done.
    @Test func `that take back what is about to go on at another time leave it undone until nothing of it is heard`() {
        var schedule = schedule()
        schedule.follow(sampleRate: 48_000)
        let item = Playback(
            BufferSource(AudioBuffer([[Float](repeating: 0.5, count: 480_000)]), sampleRate: nil, loops: false))
        schedule.play([item], at: .now)
        work(&schedule)
        let isSought = schedule.seek(to: 5)
        let count = schedule.cancel([item])
        #expect(isSought && count == 1 && !item.isDone)
        schedule.end()
        #expect(item.isDone)
    }
}

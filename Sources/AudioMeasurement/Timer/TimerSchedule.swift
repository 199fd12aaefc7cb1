/// When a thread is to wake that runs once a period: at the start plus whole periods, to the nanosecond, without a
/// rounding that adds up.
package struct TimerSchedule: Sendable {
    package let startNanoseconds: UInt64
    package let periodFrames: UInt64
    package let sampleRate: UInt64

    package init(startNanoseconds: UInt64, periodFrames: UInt64, sampleRate: UInt64) {
        self.startNanoseconds = startNanoseconds
        self.periodFrames = periodFrames
        self.sampleRate = sampleRate
    }

    /// The time of a period's start, in nanoseconds. The start of period 0 is that of the schedule.
    package func deadline(_ number: UInt64) -> UInt64 {
        let (seconds, frames) = (number * periodFrames).quotientAndRemainder(dividingBy: sampleRate)
        return startNanoseconds + seconds * 1_000_000_000 + frames * 1_000_000_000 / sampleRate
    }

    /// The first period that begins after a time, and after another one: those between were missed.
    package func number(after time: UInt64, behind previous: UInt64) -> UInt64 {
        if deadline(previous + 1) > time { return previous + 1 }
        let (seconds, nanoseconds) = (time - startNanoseconds).quotientAndRemainder(dividingBy: 1_000_000_000)
        var number = (seconds * sampleRate + nanoseconds * sampleRate / 1_000_000_000) / periodFrames
        while deadline(number) <= time { number += 1 }
        return number
    }
}

/// What a log of cycles tells of each callback of a mode, in the order of time: what intervals of confidence are made from.
///
/// In nanoseconds. Counts may differ by one: of the first callback there is no interval.
package struct CallbackSamples: Sendable, Equatable {
    /// From the start of one callback to the next.
    package var intervals: [Int64] = []
    /// How far each interval was from its own nominal time, without sign.
    package var deviations: [Int64] = []
    /// From the start of a callback to its end.
    package var callbackTimes: [Int64] = []
    package init() {}
}

/// Where a level stands on a meter, as on a mixing desk: half of the way is for the top 20 dB.
///
/// IEC 60268-18 has these points, with straight lines between them.
enum MeterScale {
    /// Levels in decibels of full scale, and their places from 0 to 1.
    private static let points: [(level: Double, place: Double)] = [
        (-70, 0), (-60, 0.025), (-50, 0.075), (-40, 0.15), (-30, 0.3), (-20, 0.5), (0, 1),
    ]
    /// Those that have a number, the most important first.
    static let marks = [0, -20, -10, -30, -40, -5, -50, -60]

    /// From 0 to 1; −∞ is silence.
    static func place(of level: Double) -> Double {
        guard let above = points.firstIndex(where: { level < $0.level }) else { return 1 }
        guard above > 0 else { return 0 }
        let (low, high) = (points[above - 1], points[above])
        return low.place + (level - low.level) / (high.level - low.level) * (high.place - low.place)
    }

    /// The level at a place from 0 to 1.
    static func level(at place: Double) -> Double {
        guard let above = points.firstIndex(where: { place < $0.place }), above > 0 else {
            return place < 0.5 ? -70 : 0
        }
        let (low, high) = (points[above - 1], points[above])
        return low.level + (place - low.place) / (high.place - low.place) * (high.level - low.level)
    }
}

import AudioFigures

extension MetricsExposition {
    /// The figures of a run of `monitor`, for Prometheus: the fields of its report that have a name there, and the load.
    init(_ report: MonitorReport, load: Double) {
        self.init()
        report.expose(to: &self)
        add("load_ratio", .gauge, unit: "ratio", "JACK's load: 1 is all of the period", load)
    }
}

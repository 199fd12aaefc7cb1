import AudioFiles
import AudioRecording
import CommandSyntax
import Jack
import ServerRuns

/// The option `--offline`: a run without a server, whose rate and period are its own.
struct OfflineOptions {
    /// Of `monitor`: on which server it runs, or on none, and how fast.
    static let group = (
        heading: "Server",
        options: ServerOptions.group.options + [
            Option(
                flag: "offline",
                "need no server: render --source, or --seconds of silence, as fast as it goes, at --rate (the source "
                    + "file's, else \(usualRate)), in blocks of --period (\(usualPeriod))"
            )
            .usableOffline(),
            ServerOptions.freewheel,
        ]
    )

    private static let periods = 1...8192
    private static let usualRate = 48_000
    private static let usualPeriod = 1024

    private let arguments: Arguments
    private let wantedRate: Int?

    /// - Returns: `nil` for a run on a server.
    /// - Throws: `usage`.
    init?(_ arguments: Arguments) throws(Failure) {
        guard arguments.has("offline") else { return nil }
        self.arguments = arguments
        wantedRate = try arguments.given(ServerOptions.rate)
        // Before anything is opened, but for a time at the rate of a file that is not known yet.
        let isTime = arguments.value("period").flatMap { Quantity.read($0, Quantity.timesWithUnit) } != nil
        if wantedRate != nil || !isTime { _ = try periodFrames(sampleRate: wantedRate ?? Self.usualRate) }
    }

    /// In hertz: as asked for, else that of the file that is played.
    func sampleRate(playing source: SourceKind?) throws(SoundFileError) -> Int {
        if let wantedRate { return wantedRate }
        guard let source, case .file = source else { return Self.usualRate }
        return try Source(source).sampleRate ?? Self.usualRate
    }

    /// What is rendered at once, at most.
    func periodFrames(sampleRate: Int) throws(Failure) -> Int {
        try arguments.frames("period", Self.periods, sampleRate: sampleRate) ?? Self.usualPeriod
    }
}

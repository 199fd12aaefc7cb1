// swift-tools-version: 6.3
import PackageDescription

// RTSAN=1 links the real-time sanitizer, which interprets what the audio thread does (Tools/test).
// Only then does the manifest hold unsafe flags: without it any package can depend on this one.
let sanitizes = Context.environment["RTSAN"] == "1"
let sanitizer: [LinkerSetting] =
    sanitizes ? [.unsafeFlags(["-Xclang-linker", "-fsanitize=realtime"])] : []

// FUZZ=1 adds what Tools/fuzz runs. It has libFuzzer's main, so that nothing else of the package may have one.
let fuzzes = Context.environment["FUZZ"] == "1"

let strict: [SwiftSetting] = [.strictMemorySafety()]

// LIGHT=1 leaves out the optimiser where it costs more than it brings: modules whose code runs once and loops over nothing.
// Our own scripts set it; these are unsafe flags too, which the manifest that others depend on does not have.
let isLight = Context.environment["LIGHT"] == "1"
// It also links Swift's runtime into the programs: they start in less time and memory, and anywhere. SHARED=1 leaves that out, for
// toolchains without static libraries or lld. Those that the objects do not name, as the shared ones bring them, are named here.
// Nothing looks for the program's own functions, so that it exports none; both that and lld make its start shorter.
let linksRuntime: [LinkerSetting] =
    isLight && Context.environment["SHARED"] != "1"
    ? [
        .unsafeFlags(
            [
                "-static-stdlib", "-l_FoundationCShims", "-l_FoundationCollections", "-use-ld=lld", "-Xlinker",
                "--no-export-dynamic",
            ], .when(configuration: .release))
    ] : []
// Its description is written by the same process, as with the optimiser.
let runsOnce: [SwiftSetting] =
    strict
    + (isLight ? [.unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"], .when(configuration: .release))] : [])

// TESTS=1 is how Tools/test builds a debug build: what computes is optimised there too, with all that a debug build checks.
let isForTests = Context.environment["TESTS"] == "1"
// Without -disable-batch-mode each such module warns that it ignores SwiftPM's -enable-batch-mode. Its description is written by
// the same process, which has read all of it anyway.
let inOneGo = [
    "-whole-module-optimization", "-num-threads", "1", "-disable-batch-mode", "-no-emit-module-separately-wmo",
]
let computes: [SwiftSetting] =
    isForTests
    ? [.unsafeFlags(["-O", "-assert-config", "Debug"] + inOneGo, .when(configuration: .debug))] : []

let package = Package(
    name: "iounit",
    products: [
        .library(name: "Threads", targets: ["Threads"]),
        .library(name: "Jack", targets: ["Jack"]),
        .library(name: "AudioDSP", targets: ["AudioDSP"]),
        // For the types that AudioIO's signatures name: Parameters, Meters, TapReader.
        .library(name: "AudioRealtime", targets: ["AudioRealtime"]),
        .library(name: "AudioIO", targets: ["AudioIO"]),
        // For the figures that AudioMeasurement and AudioReports name: Report, Distribution, Histogram.
        .library(name: "AudioFigures", targets: ["AudioFigures"]),
        .library(name: "AudioMeasurement", targets: ["AudioMeasurement"]),
        .library(name: "AudioReports", targets: ["AudioReports"]),
        .library(name: "AudioMetering", targets: ["AudioMetering"]),
        .library(name: "AudioFiles", targets: ["AudioFiles"]),
        .library(name: "AudioRecording", targets: ["AudioRecording"]),
        .library(name: "AudioStreaming", targets: ["AudioStreaming"]),
        .library(name: "AudioVoice", targets: ["AudioVoice"]),
        .library(name: "AudioPlugins", targets: ["AudioPlugins"]),
        .library(name: "CheckedProcessors", targets: ["CheckedProcessors"]),
        .library(name: "SystemHealth", targets: ["SystemHealth"]),
        .executable(name: "iounit", targets: ["iounit"]),
        .executable(name: "pluginprobe", targets: ["pluginprobe"]),
    ],
    targets: [
        .systemLibrary(
            name: "CJack", pkgConfig: "jack", providers: [.apt(["libjack-jackd2-dev"])]),
        .systemLibrary(
            name: "CEbur128", pkgConfig: "libebur128", providers: [.apt(["libebur128-dev"])]),
        .systemLibrary(name: "CKissFFT", providers: [.apt(["libkissfft-dev"])]),
        // Of these the headers alone: CLoading loads the libraries. Without pkg-config, which links them.
        .systemLibrary(name: "CSndFile", providers: [.apt(["libsndfile1-dev"])]),
        .systemLibrary(name: "CSampleRate", providers: [.apt(["libsamplerate0-dev"])]),
        .systemLibrary(name: "CSoxr", providers: [.apt(["libsoxr-dev"])]),
        .systemLibrary(name: "COpus", providers: [.apt(["libopus-dev"])]),
        .systemLibrary(name: "CFLAC", providers: [.apt(["libflac-dev"])]),
        .systemLibrary(name: "CMPG123", providers: [.apt(["libmpg123-dev"])]),
        .systemLibrary(name: "CLAME", providers: [.apt(["libmp3lame-dev"])]),
        .systemLibrary(name: "CWebSockets", providers: [.apt(["libwebsockets-dev"])]),
        .systemLibrary(name: "CShout", providers: [.apt(["libshout-dev"])]),
        .systemLibrary(name: "CSpeexDSP", providers: [.apt(["libspeexdsp-dev"])]),
        .systemLibrary(name: "CLilv", providers: [.apt(["liblilv-dev"])]),
        .systemLibrary(name: "CLiblo", providers: [.apt(["liblo-dev"])]),
        .systemLibrary(name: "CPNG", providers: [.apt(["libpng-dev"])]),
        // Its own, because it jumps to where the loader has found a function.
        .target(name: "CLoading", dependencies: ["CSlots"]),

        .systemLibrary(name: "CThreads"),
        // Its own, so that what only measures, meters or reads files links no libjack.
        .target(name: "Threads", dependencies: ["CThreads", "CLoading"], swiftSettings: strict),
        // Its own, because three redirect calls by it: of libjack, of libsndfile, and of plug-ins.
        .target(name: "CSlots"),
        // Its own, because it needs code that is compiled once, and a variable of each thread.
        .target(name: "CJackGuard", dependencies: ["CSlots"]),
        .target(name: "Jack", dependencies: ["CJack", "CJackGuard", "Threads"], swiftSettings: strict),
        // Its own, because Swift cannot compile one function for a processor that another machine lacks.
        .target(name: "CAudioDSP"),
        // Its own, because a user's module sees it too: it has what that needs and nothing else.
        .systemLibrary(name: "CProcessor"),
        .target(
            name: "AudioDSP", dependencies: ["CAudioDSP", "CProcessor"],
            // So that a processor's block can lend its samples as spans.
            swiftSettings: strict + computes + [.enableExperimentalFeature("Lifetimes")]),
        .target(name: "AudioRealtime", dependencies: ["AudioDSP"], swiftSettings: strict + computes),
        .target(
            name: "AudioIO", dependencies: ["Threads", "Jack", "AudioRealtime", "AudioDSP"],
            swiftSettings: strict),
        // Its own, so that files are read, converted and written without a server.
        .target(
            name: "AudioFiles", dependencies: ["AudioDSP", "Threads", "CFLAC", "CSndFile", "CSampleRate", "CSoxr"],
            swiftSettings: strict),
        .target(
            name: "AudioRecording",
            dependencies: ["AudioFiles", "AudioIO", "AudioRealtime", "AudioDSP", "Jack", "Threads"],
            swiftSettings: strict),
        // Its own, so that nothing else links what only streams need, and a network is out of reach of all else.
        .target(
            name: "AudioStreaming",
            dependencies: [
                "AudioFiles", "AudioIO", "AudioRealtime", "AudioDSP", "Jack", "Threads", "CThreads", "COpus",
                "CFLAC", "CWebSockets", "CShout", "CLAME", "CMPG123", "CPage", "AudioFigures",
            ],
            swiftSettings: strict),
        // Its own, because clang embeds files in no time, and Swift does not.
        .target(name: "CPage", exclude: ["Page"]),
        // Its own, because Swift cannot call C++. Without pkg-config, whose definitions SwiftPM refuses with a warning.
        .target(
            name: "CWebRTCAudio", dependencies: ["CLoading"],
            cxxSettings: [
                .headerSearchPath("."), .define("WEBRTC_POSIX"), .define("WEBRTC_AUDIO_PROCESSING_ONLY_BUILD"),
            ]),
        // Its own, so that nothing else links the libraries for voices.
        .target(
            name: "AudioVoice",
            dependencies: [
                "AudioIO", "AudioRealtime", "AudioDSP", "Jack", "Threads", "CWebRTCAudio", "CSpeexDSP", "Fourier",
            ],
            swiftSettings: strict + computes),
        // Its own, because Swift cannot leave a call from within what it has called.
        .target(name: "CPluginGuard", dependencies: ["CLoading", "CSlots"]),
        // Its own, so that nothing else calls what hosts plug-ins.
        .target(
            name: "AudioPlugins",
            dependencies: ["AudioIO", "AudioRealtime", "AudioDSP", "Threads", "CLilv", "CPluginGuard"],
            swiftSettings: strict + computes),
        .systemLibrary(name: "CCheckedProcessors", providers: [.apt(["lv2-dev"])]),
        // Its own, because it exports functions of LV2 plug-ins, which only a library that is to be checked may have.
        .target(
            name: "CheckedProcessors",
            dependencies: ["AudioIO", "AudioRealtime", "AudioDSP", "Threads", "CCheckedProcessors"],
            swiftSettings: strict),
        // Its own, so that nothing else links the library for spectra.
        .target(name: "Fourier", dependencies: ["CKissFFT"], swiftSettings: strict + computes),
        // Its own, so that a report can be read, shown and judged without libjack.
        .target(name: "AudioFigures", dependencies: ["Threads"], swiftSettings: strict + computes),
        .target(
            name: "AudioMeasurement",
            dependencies: [
                "AudioFigures", "AudioIO", "AudioRealtime", "AudioDSP", "SystemHealth", "Jack", "Threads", "Fourier",
            ],
            swiftSettings: strict + computes),
        // Its own, so that what a report says can depend on nothing but its figures.
        .target(name: "AudioReports", dependencies: ["AudioFigures"], swiftSettings: runsOnce),
        // Its own, because it loops over pixels, and reports loop over nothing.
        .target(name: "AudioPictures", dependencies: ["AudioReports"], swiftSettings: strict),
        .target(
            name: "AudioMetering",
            dependencies: ["AudioRealtime", "AudioDSP", "Threads", "CEbur128", "Fourier"],
            swiftSettings: strict + computes),
        // Its own, so that what looks at a machine cannot reach what changes one, and tests can make machines up.
        .target(name: "SystemHealth", dependencies: ["AudioFigures", "Jack", "Threads"], swiftSettings: runsOnce),
        // Its own, because clang embeds files in no time, and Swift does not.
        .target(name: "Manual", exclude: ["Manual.docc"]),

        // Its own, because it loads plug-ins, which may do anything to the process that they are in.
        .executableTarget(name: "pluginprobe", linkerSettings: [.linkedLibrary("lilv-0"), .linkedLibrary("m")]),
        // Its own, so that nothing that runs plug-ins is in the process that judges them. Loads none, and links no lilv.
        .target(
            name: "PluginChecks", dependencies: ["AudioFigures", "AudioReports", "Threads"], swiftSettings: runsOnce),

        // The command, in modules that are compiled side by side.
        // Its own, so that words reach no sound: options, settings, help, exit codes.
        .target(
            name: "CommandSyntax",
            dependencies: ["AudioDSP", "AudioFigures", "AudioReports", "Manual", "TerminalPages", "Threads"],
            swiftSettings: runsOnce),
        // Its own, so that what is drawn knows no engine.
        .target(name: "TerminalPages", dependencies: ["AudioDSP", "AudioReports", "Threads"], swiftSettings: strict),
        // Its own, so that the measuring program needs no codec. Joins servers, leaves them, and reports on them.
        .target(
            name: "ServerRuns",
            dependencies: [
                "AudioDSP", "AudioFigures", "AudioIO", "AudioMeasurement", "CommandSyntax", "Jack", "TerminalPages",
                "Threads",
            ],
            swiftSettings: runsOnce),
        .target(
            name: "MeasuringCommands",
            dependencies: [
                "AudioFigures", "AudioIO", "AudioMeasurement", "AudioRealtime", "AudioReports", "CommandSyntax", "Jack",
                "ServerRuns", "SystemHealth", "TerminalPages", "Threads",
            ],
            swiftSettings: runsOnce),
        // Its own, so that files are worked on without libjack.
        .target(
            name: "FileCommands",
            dependencies: [
                "AudioDSP", "AudioFigures", "AudioFiles", "AudioMetering", "AudioPictures", "AudioRealtime",
                "AudioReports",
                "CommandSyntax", "CPNG", "TerminalPages", "Threads",
            ],
            swiftSettings: runsOnce),
        // Its own, so that what works on files reaches no plug-in, and what is known of plug-ins is in reach of no server.
        .target(
            name: "PluginCommands",
            dependencies: [
                "AudioDSP", "AudioFigures", "AudioFiles", "AudioIO", "AudioPlugins", "AudioReports", "CommandSyntax",
                "PluginChecks", "TerminalPages", "Threads",
            ],
            swiftSettings: runsOnce),
        // Its own, so that what the live subcommands share knows none of them.
        .target(
            name: "LiveRuns",
            dependencies: [
                "AudioDSP", "AudioFigures", "AudioFiles", "AudioIO", "AudioMetering", "AudioPlugins", "AudioRealtime",
                "AudioRecording", "AudioReports", "AudioStreaming", "AudioVoice", "CLiblo", "CommandSyntax",
                "FileCommands", "Jack", "PluginCommands", "ServerRuns", "TerminalPages", "Threads",
            ],
            swiftSettings: runsOnce),
        .target(
            name: "LiveCommands",
            dependencies: [
                "AudioDSP", "AudioFigures", "AudioFiles", "AudioIO", "AudioMetering", "AudioRealtime",
                "AudioRecording", "AudioReports", "AudioStreaming", "CommandSyntax", "FileCommands", "Jack",
                "LiveRuns", "PluginCommands", "ServerRuns", "TerminalPages", "Threads",
            ],
            swiftSettings: runsOnce),
        .executableTarget(
            name: "iounit",
            dependencies: [
                "AudioIO", "CommandSyntax", "FileCommands", "LiveCommands", "MeasuringCommands", "PluginCommands",
                "ServerRuns",
            ],
            swiftSettings: runsOnce, linkerSettings: sanitizer + linksRuntime),
        .executableTarget(
            name: "measuring", dependencies: ["CommandSyntax", "MeasuringCommands", "ServerRuns"],
            swiftSettings: runsOnce, linkerSettings: sanitizer + linksRuntime),

        // Of the package, so that it may use what only the package sees, and of no product.
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "AudioFigures", "AudioMeasurement", "AudioIO", "AudioRealtime", "AudioDSP", "CAudioDSP", "Jack",
                "CJack", "Threads", "AudioFiles", "AudioPlugins", "AudioRecording", "AudioStreaming", "AudioVoice",
                "TestSupport", "VoiceTestSupport",
            ],
            path: "Tests/Benchmarks", exclude: ["Twins"]),
        // A program that the tests run, because what it provokes would stop them.
        .target(name: "StressWindow", path: "Tests/StressWindow"),
        .executableTarget(name: "Stress", dependencies: ["Jack", "Threads", "StressWindow"], path: "Tests/Stress"),
        .target(
            name: "TestSupport", dependencies: ["Jack", "Threads", "AudioDSP", "AudioRealtime"],
            path: "Tests/TestSupport", swiftSettings: computes),
        // Its own, so that no other test links the library for spectra.
        .target(
            name: "VoiceTestSupport", dependencies: ["Fourier", "TestSupport"],
            path: "Tests/VoiceTestSupport", swiftSettings: computes),
        .testTarget(
            name: "AudioDSPTests", dependencies: ["AudioDSP", "TestSupport"], exclude: ["Reference"]),
        .testTarget(
            name: "AudioRealtimeTests", dependencies: ["AudioRealtime", "AudioDSP", "CJack", "TestSupport", "Threads"],
            linkerSettings: sanitizer),
        .testTarget(name: "ThreadsTests", dependencies: ["Threads"]),
        .testTarget(
            name: "JackTests", dependencies: ["Jack", "Threads", "CJack", "TestSupport"], linkerSettings: sanitizer),
        .testTarget(
            name: "AudioIOTests",
            dependencies: ["AudioIO", "AudioRealtime", "AudioDSP", "Jack", "Threads", "TestSupport"],
            linkerSettings: sanitizer),
        .testTarget(
            name: "AudioFilesTests",
            dependencies: ["AudioFiles", "AudioDSP", "Threads", "CFLAC", "CSndFile", "CJack", "TestSupport"],
            linkerSettings: sanitizer),
        .testTarget(
            name: "AudioRecordingTests",
            dependencies: ["AudioRecording", "AudioFiles", "AudioIO", "Jack", "Threads", "CSndFile", "TestSupport"],
            linkerSettings: sanitizer),
        .testTarget(
            name: "AudioStreamingTests",
            dependencies: ["AudioStreaming", "AudioFiles", "AudioIO", "AudioRealtime", "Threads", "TestSupport"],
            exclude: ["Receivers"], linkerSettings: sanitizer),
        .testTarget(
            name: "AudioVoiceTests",
            dependencies: ["AudioVoice", "AudioIO", "AudioRealtime", "AudioDSP", "TestSupport", "VoiceTestSupport"],
            linkerSettings: sanitizer),
        .testTarget(
            name: "AudioPluginsTests",
            dependencies: [
                "AudioPlugins", "AudioIO", "AudioRealtime", "AudioDSP", "Threads", "TestSupport",
            ],
            exclude: ["Bundles"], linkerSettings: sanitizer),
        .testTarget(
            name: "AudioMeasurementTests",
            dependencies: [
                "AudioFigures", "AudioMeasurement", "AudioReports", "AudioIO", "AudioRealtime", "AudioDSP", "Fourier",
                "Jack", "Threads", "TestSupport",
            ],
            linkerSettings: sanitizer),
        .testTarget(
            name: "AudioReportsTests",
            dependencies: ["AudioFigures", "AudioReports", "TestSupport"], exclude: ["Statistics/Reference"]),
        .testTarget(
            name: "AudioMeteringTests",
            dependencies: ["AudioMetering", "AudioRecording", "AudioIO", "AudioRealtime", "AudioDSP", "TestSupport"],
            linkerSettings: sanitizer),
        .testTarget(
            name: "SystemHealthTests", dependencies: ["SystemHealth", "AudioFigures", "Jack", "TestSupport"],
            linkerSettings: sanitizer),
        // Its own, so that the tests of the command, which run it, are compiled side by side.
        .target(
            name: "CommandTestSupport",
            dependencies: ["AudioReports", "CJack", "CSndFile", "Jack", "TerminalPages", "TestSupport"],
            path: "Tests/CommandTestSupport",
            exclude: ["Foreign"], swiftSettings: computes
        ),
        .testTarget(
            name: "CommandSyntaxTests",
            dependencies: [
                "iounit", "CommandTestSupport", "AudioDSP", "AudioFigures", "AudioFiles", "AudioReports",
                "CommandSyntax", "FileCommands", "Jack", "LiveCommands", "LiveRuns", "MeasuringCommands",
                "TerminalPages", "TestSupport",
            ],
            exclude: ["Help/fields.txt"], linkerSettings: sanitizer),
        // They run pluginprobe, which is in no test: it has functions of the C library under their own names.
        .target(
            name: "PluginTestSupport", dependencies: ["PluginChecks", "TestSupport", "Threads"],
            path: "Tests/PluginTestSupport", exclude: ["Planted"]),
        .testTarget(
            name: "PluginChecksTests", dependencies: ["PluginChecks", "PluginTestSupport", "TestSupport", "Threads"]),
        .testTarget(
            name: "PluginCommandsTests",
            dependencies: [
                "iounit", "CommandTestSupport", "CommandSyntax", "PluginChecks", "PluginCommands", "PluginTestSupport",
                "TestSupport",
            ],
            linkerSettings: sanitizer),
        .testTarget(
            name: "MeasuringCommandsTests",
            dependencies: [
                "iounit", "CommandTestSupport", "AudioFigures", "AudioMeasurement", "AudioReports", "Jack",
                "MeasuringCommands", "SystemHealth", "TerminalPages", "TestSupport",
            ],
            linkerSettings: sanitizer),
        .testTarget(
            name: "FileCommandsTests",
            dependencies: [
                "iounit", "CommandTestSupport", "AudioFiles", "AudioMetering", "AudioPictures", "AudioReports",
                "FileCommands", "LiveRuns", "TerminalPages", "TestSupport", "Threads",
            ],
            linkerSettings: sanitizer),
        .testTarget(
            name: "LiveCommandsTests",
            dependencies: [
                "iounit", "CommandTestSupport", "AudioDSP", "AudioFigures", "AudioFiles", "AudioIO", "AudioMetering",
                "AudioPlugins",
                "AudioRealtime", "AudioRecording", "AudioReports", "AudioStreaming", "CommandSyntax", "Jack",
                "LiveCommands", "LiveRuns", "PluginCommands", "TerminalPages", "Threads", "TestSupport",
            ],
            linkerSettings: sanitizer),
        .testTarget(
            name: "StreamingCommandsTests",
            dependencies: [
                "iounit", "CommandTestSupport", "AudioFiles", "AudioIO", "AudioStreaming", "CommandSyntax", "Jack",
                "LiveCommands", "LiveRuns", "TerminalPages", "TestSupport",
            ],
            linkerSettings: sanitizer),
        .testTarget(
            name: "OutageTests",
            dependencies: ["iounit", "CommandTestSupport", "Jack", "ServerRuns", "Stress", "TestSupport"],
            linkerSettings: sanitizer),
        .testTarget(
            name: "SurroundingsTests",
            dependencies: ["iounit", "CommandTestSupport", "Jack", "TestSupport", "Threads"],
            linkerSettings: sanitizer),
    ],
    swiftLanguageModes: [.v6]
)

if fuzzes {
    let renamesMain: SwiftSetting = .unsafeFlags([
        "-Xfrontend", "-entry-point-function-name", "-Xfrontend", "iounit_main",
    ])
    let command = package.targets.first { $0.name == "iounit" }
    package.products = []
    let programs = ["iounit", "measuring", "pluginprobe", "Benchmarks", "Stress"]
    package.targets.removeAll { $0.isTest || programs.contains($0.name) }
    package.targets += [
        .target(
            name: "iounit", dependencies: command?.dependencies ?? [],
            swiftSettings: strict + [.unsafeFlags(["-parse-as-library"]), renamesMain]),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "iounit", "CommandSyntax", "FileCommands", "LiveCommands", "LiveRuns", "MeasuringCommands",
                "TerminalPages", "AudioFigures", "AudioMeasurement", "AudioReports", "AudioFiles", "AudioRecording",
                "AudioStreaming",
                "AudioVoice", "AudioDSP", "AudioRealtime", "Jack",
            ],
            path: "Tests/Fuzz", exclude: ["Corpus"]),
    ]
}

// Tools/bench builds them.
if isForTests { package.targets.removeAll { $0.name == "Benchmarks" } }

// SwiftPM compiles a module again where one that it names has changed, and not where a type reaches it through that from a module
// below. So each names all that it is built on, where we build: what others depend on, they build from nothing.
if isForTests || isLight {
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    func named(by target: Target) -> [String] {
        target.dependencies.compactMap { if case .byNameItem(let name, _) = $0 { name } else { nil } }
    }
    // Behind the modules that it names, of which each has what it is built on by then.
    var isDone: Set<String> = []
    func complete(_ target: Target) {
        guard isDone.insert(target.name).inserted else { return }
        for name in named(by: target) {
            guard let used = targets[name] else { continue }
            complete(used)
            let rest = named(by: used).filter { !named(by: target).contains($0) && targets[$0]?.type == .regular }
            target.dependencies += rest.map { .byName(name: $0) }
        }
    }
    package.targets.forEach(complete)
}

// WHOLE=1 compiles each module of such a build in one go. The compiler then reads and expands each file once, and not for each
// batch of files again. But a changed file compiles its module and all that use it: this is for builds from nothing. The compiler
// does not check its own output there, which is 4 % of a module of tests.
if isForTests && Context.environment["WHOLE"] == "1" {
    for target in package.targets where [.regular, .executable, .test].contains(target.type) {
        let flags = inOneGo + ["-Xfrontend", "-disable-llvm-verify"]
        target.swiftSettings =
            (target.swiftSettings ?? []) + [.unsafeFlags(flags, .when(configuration: .debug))]
    }
}

// OPTIMISED=1 leaves the tests that are run with optimisation. They look into no module, so that they share the objects of
// the program. What only the other tests need is not compiled.
if Context.environment["OPTIMISED"] == "1" {
    let optimised = ["AudioDSPTests", "AudioRealtimeTests", "AudioIOTests"]
    let unused = [
        "Benchmarks", "Stress", "StressWindow", "VoiceTestSupport", "CommandTestSupport", "PluginTestSupport",
    ]
    package.targets.removeAll { $0.isTest && !optimised.contains($0.name) || unused.contains($0.name) }
    // What is tested is optimised, which is what they are about. They themselves compute little.
    for target in package.targets where target.isTest {
        target.swiftSettings = [
            .unsafeFlags(["-Onone", "-gnone", "-no-emit-module-separately-wmo"], .when(configuration: .release))
        ]
    }
    package.targets.first { $0.name == "AudioIOTests" }?.sources = [
        "Fixtures", "Telemetry", "Unit/RealtimeSafetyTests.swift", "Unit/SignalTests.swift",
        "Queue/QueueContentTests.swift", "Queue/QueuePassage.swift", "Queue/QueueTelemetryTests.swift",
    ]
}

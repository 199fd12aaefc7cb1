// swift-tools-version: 6.3
import PackageDescription

// RTSAN=1 links the real-time sanitizer, which interprets what the audio thread does (Tools/test).
// Only then does the manifest hold unsafe flags: without it any package can depend on this one.
let sanitizes = Context.environment["RTSAN"] == "1"
let sanitizer: [LinkerSetting] =
    sanitizes ? [.unsafeFlags(["-Xclang-linker", "-fsanitize=realtime"])] : []

let strict: [SwiftSetting] = [.strictMemorySafety()]

let package = Package(
    name: "iounit",
    products: [
        .library(name: "Jack", targets: ["Jack"]),
        .library(name: "AudioDSP", targets: ["AudioDSP"]),
        .library(name: "AudioIO", targets: ["AudioIO"]),
        .library(name: "AudioMeasurement", targets: ["AudioMeasurement"]),
        .library(name: "AudioMetering", targets: ["AudioMetering"]),
        .library(name: "AudioRecording", targets: ["AudioRecording"]),
        .executable(name: "iounit", targets: ["iounit"]),
    ],
    targets: [
        .systemLibrary(
            name: "CJack", pkgConfig: "jack", providers: [.apt(["libjack-jackd2-dev"])]),
        .systemLibrary(
            name: "CSndFile", pkgConfig: "sndfile", providers: [.apt(["libsndfile1-dev"])]),
        .systemLibrary(
            name: "CSampleRate", pkgConfig: "samplerate",
            providers: [.apt(["libsamplerate0-dev"])]),
        .systemLibrary(
            name: "CEbur128", pkgConfig: "libebur128", providers: [.apt(["libebur128-dev"])]),
        // Without pkg-config, whose definitions SwiftPM refuses with a warning; they are the defaults.
        .systemLibrary(name: "CKissFFT", providers: [.apt(["libkissfft-dev"])]),

        .target(name: "Jack", dependencies: ["CJack"], swiftSettings: strict),
        // Its own, because Swift cannot compile one function for a processor that another machine lacks.
        .target(name: "CAudioDSP"),
        .target(name: "AudioDSP", dependencies: ["CAudioDSP"], swiftSettings: strict),
        .target(name: "AudioRealtime", dependencies: ["AudioDSP"], swiftSettings: strict),
        .target(
            name: "AudioIO", dependencies: ["Jack", "AudioRealtime", "AudioDSP"],
            swiftSettings: strict),
        .target(
            name: "AudioRecording",
            dependencies: ["AudioIO", "AudioRealtime", "AudioDSP", "Jack", "CSndFile", "CSampleRate"],
            swiftSettings: strict),
        .target(
            name: "AudioMeasurement",
            dependencies: ["AudioIO", "AudioRealtime", "AudioDSP", "Jack", "CKissFFT"], swiftSettings: strict),
        .target(
            name: "AudioMetering", dependencies: ["AudioRealtime", "AudioDSP", "Jack", "CEbur128"],
            swiftSettings: strict),
        .executableTarget(
            name: "iounit",
            dependencies: [
                "Jack", "AudioDSP", "AudioRealtime", "AudioIO", "AudioMeasurement", "AudioMetering", "AudioRecording",
            ],
            swiftSettings: strict, linkerSettings: sanitizer),

        // Of the package, so that it may use what only the package sees, and of no product.
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "AudioMeasurement", "AudioIO", "AudioRealtime", "AudioDSP", "CAudioDSP", "Jack", "CJack", "TestSupport",
            ],
            path: "Tests/Benchmarks", exclude: ["Twins"]),
        .target(
            name: "TestSupport", dependencies: ["Jack", "AudioDSP", "AudioRealtime"], path: "Tests/TestSupport"),
        .testTarget(
            name: "AudioDSPTests", dependencies: ["AudioDSP", "TestSupport"], exclude: ["Reference"]),
        .testTarget(
            name: "AudioRealtimeTests", dependencies: ["AudioRealtime", "AudioDSP", "CJack", "TestSupport"],
            linkerSettings: sanitizer),
        .testTarget(name: "JackTests", dependencies: ["Jack", "CJack", "TestSupport"], linkerSettings: sanitizer),
        .testTarget(
            name: "AudioIOTests", dependencies: ["AudioIO", "AudioRealtime", "AudioDSP", "Jack", "TestSupport"],
            linkerSettings: sanitizer),
        .testTarget(
            name: "AudioRecordingTests",
            dependencies: ["AudioRecording", "AudioIO", "Jack", "CSndFile", "TestSupport"],
            linkerSettings: sanitizer),
        .testTarget(
            name: "AudioMeasurementTests",
            dependencies: ["AudioMeasurement", "AudioIO", "AudioRealtime", "AudioDSP", "Jack", "TestSupport"],
            exclude: ["Reference"], linkerSettings: sanitizer),
        .testTarget(
            name: "AudioMeteringTests",
            dependencies: ["AudioMetering", "AudioRecording", "AudioIO", "AudioRealtime", "AudioDSP", "TestSupport"],
            linkerSettings: sanitizer),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "iounit", "AudioMeasurement", "AudioMetering", "AudioDSP", "Jack", "CJack", "CSndFile", "TestSupport",
            ],
            linkerSettings: sanitizer),
    ],
    swiftLanguageModes: [.v6]
)

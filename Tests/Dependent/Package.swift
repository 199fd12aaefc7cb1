// swift-tools-version: 6.3
import PackageDescription

// RTSAN=1 links the real-time sanitizer, which finds what a processor does that the compiler was not shown.
let sanitizer: [LinkerSetting] =
    Context.environment["RTSAN"] == "1" ? [.unsafeFlags(["-Xclang-linker", "-fsanitize=realtime"])] : []

// A package of somebody else's that uses this one.
let package = Package(
    name: "dependent",
    dependencies: [.package(name: "iounit", path: "../..")],
    targets: [
        .executableTarget(
            name: "wire",
            dependencies: [
                .product(name: "AudioIO", package: "iounit"), .product(name: "Jack", package: "iounit"),
                .product(name: "Threads", package: "iounit"),
            ]),
        .executableTarget(
            name: "nodes",
            dependencies: ["AudioIO", "AudioDSP", "AudioRecording", "Jack", "Threads"].map {
                .product(name: $0, package: "iounit")
            },
            swiftSettings: [.treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "judge",
            dependencies: ["AudioFigures", "AudioReports"].map { .product(name: $0, package: "iounit") },
            swiftSettings: [.strictMemorySafety(), .treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "convert", dependencies: [.product(name: "AudioFiles", package: "iounit")],
            swiftSettings: [.strictMemorySafety(), .treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "own",
            dependencies: [
                .product(name: "AudioIO", package: "iounit"), .product(name: "AudioDSP", package: "iounit"),
            ],
            swiftSettings: [.strictMemorySafety(), .treatAllWarnings(as: .error)], linkerSettings: sanitizer),
        // Does not compile: see the script `run`.
        .target(name: "Refused", dependencies: [.product(name: "AudioDSP", package: "iounit")]),
    ]
)

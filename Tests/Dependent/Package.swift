// swift-tools-version: 6.3
import PackageDescription

// RTSAN=1 links the real-time sanitizer, which finds what a processor does that the compiler was not shown.
let sanitizer: [LinkerSetting] =
    Context.environment["RTSAN"] == "1" ? [.unsafeFlags(["-Xclang-linker", "-fsanitize=realtime"])] : []

// The programs of the articles in the DocC catalogue, which the script `run` takes out of them.
let pages = (Context.environment["PAGES"] ?? "").split(separator: " ").map(String.init)
let libraries = [
    "AudioDSP", "AudioFigures", "AudioFiles", "AudioIO", "AudioMeasurement", "AudioRecording", "AudioReports",
    "AudioVoice", "Jack", "Threads",
]

// A package of somebody else's that uses this one.
let package = Package(
    name: "dependent",
    // What iounit plugin check --processor loads.
    products: [.library(name: "checked", type: .dynamic, targets: ["Checked"])],
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
            name: "plugins",
            dependencies: ["AudioIO", "AudioPlugins"].map { .product(name: $0, package: "iounit") },
            swiftSettings: [.treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "take",
            dependencies: ["AudioFiles", "AudioIO", "AudioRecording", "Threads"].map {
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
        // A finding in it is to name its line, which the tests' debug build leaves out.
        .target(name: "Leaf", cSettings: [.unsafeFlags(["-Xclang", "-debug-info-kind=line-tables-only"])]),
        .target(
            name: "Checked",
            dependencies: ["Leaf"]
                + ["AudioDSP", "AudioIO", "CheckedProcessors"].map { .product(name: $0, package: "iounit") },
            swiftSettings: [.treatAllWarnings(as: .error)]),
    ]
        + pages.map { page in
            .executableTarget(
                name: page, dependencies: libraries.map { .product(name: $0, package: "iounit") },
                path: ".pages/\(page)", swiftSettings: [.treatAllWarnings(as: .error)])
        }
        // Does not compile: see the script `run`.
        + (Context.environment["REFUSED"] == "1"
            ? [.target(name: "Refused", dependencies: [.product(name: "AudioDSP", package: "iounit")])] : [])
)

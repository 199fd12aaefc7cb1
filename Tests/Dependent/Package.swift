// swift-tools-version: 6.3
import PackageDescription

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
        // Does not compile: see the script `run`.
        .target(name: "Refused", dependencies: [.product(name: "AudioDSP", package: "iounit")]),
    ]
)

import CJack
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Jack

/// What another user may have put into shared memory, and what we then remove.
@Suite("Shared memory that everybody may write to", .serialized, .ownServers)
struct SharedFolderTests {
    /// A folder that stands for /dev/shm, beside a victim's file.
    private final class Place {
        let root = NSTemporaryDirectory() + "shared-\(UUID().uuidString)"
        var folder: String { root + "/shm" }
        var victim: String { root + "/victim" }

        init() throws {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data("dear".utf8).write(to: URL(fileURLWithPath: victim))
        }

        deinit { try? FileManager.default.removeItem(atPath: root) }

        func write(_ name: String, _ bytes: [UInt8] = [1]) throws {
            try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
        func open() throws -> SharedFolder {
            guard let folder = SharedFolder(folder) else { throw CocoaError(.fileNoSuchFile) }
            return folder
        }
        func has(_ name: String) -> Bool {
            (try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")) != nil
        }
        var keepsVictim: Bool { FileManager.default.contents(atPath: victim) == Data("dear".utf8) }
    }

    /// JACK's registry with these places and entries, of 256.
    ///
    /// - Parameter users: of the processes that have a place; 0 where nothing is said.
    private func registry(
        places: [(UInt32, String)], users: [UInt32: Int] = [:], entries: [Int: (UInt32, String)] = [:]
    ) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 2136 + 256 * 268)
        func put(_ number: UInt32, _ offset: Int) {
            for byte in 0..<4 { bytes[offset + byte] = UInt8(truncatingIfNeeded: number >> (8 * byte)) }
        }
        func put(_ text: String, _ offset: Int) {
            for (index, byte) in text.utf8.enumerated() { bytes[offset + index] = byte }
        }
        put(0x4a41_434b, 0)
        put(2136, 16)
        put(268, 20)
        for (index, place) in places.enumerated() {
            put(place.0, 24 + 264 * index)
            put("jack-\(users[place.0] ?? 0):\(place.1):", 28 + 264 * index)
        }
        for (index, entry) in entries {
            put(UInt32(index), 2136 + 268 * index)
            put(entry.0, 2140 + 268 * index)
            put(entry.1, 2148 + 268 * index)
        }
        return bytes
    }

    @Test func `names of the registry lead nowhere else, and of what they name only this user's segments go`() throws {
        let place = try Place()
        let (own, dead) = (getuid(), UInt32(4_000_000))
        try place.write(
            "jack-shm-registry",
            registry(
                places: [(dead, "iounit-9")],
                entries: [
                    0: (dead, "/jack-\(own)-0"), 1: (dead, "/jack-x/../../victim"), 2: (dead, "/jack-\(own)-7"),
                    3: (dead, "/jack-\(own + 1)-3"), 4: (dead + 1, "/jack-\(own)-4"), 5: (dead, "/../victim"),
                ]))
        for name in ["jack-\(own)-0", "jack-\(own)-7", "jack-\(own + 1)-3", "jack-\(own)-4"] { try place.write(name) }
        try FileManager.default.createDirectory(atPath: place.folder + "/jack-x", withIntermediateDirectories: true)

        #expect(ServerRegistry.remove(process: pid_t(dead), folder: place.folder))
        #expect(place.keepsVictim)
        #expect(!place.has("jack-\(own)-0"))
        #expect(place.has("jack-\(own)-7"), "that is another entry's")
        #expect(place.has("jack-\(own + 1)-3") && place.has("jack-\(own)-4"))
        #expect(ServerRegistry.servers(folder: place.folder).isEmpty, "the place is free")
    }

    @Test func `what cannot be a server is none`() throws {
        let place = try Place()
        try place.write(
            "jack-shm-registry",
            registry(places: [
                (1 << 31, "high"), (.max, "highest"), (5, "a/../b"), (6, "\u{1b}[2J"), (7, "\u{9b}2J"), (8, ""),
                (9, "stage"),
            ]))
        #expect(ServerRegistry.servers(folder: place.folder) == [.init(name: "stage", user: 0, process: 9)])
        try place.write("jack-shm-registry", Array(registry(places: [(9, "stage")]).prefix(2000)))
        #expect(ServerRegistry.servers(folder: place.folder).isEmpty)
    }

    @Test func `servers of two users may have one name`() throws {
        let place = try Place()
        try place.write(
            "jack-shm-registry", registry(places: [(8, "stage"), (9, "stage")], users: [8: 1000, 9: 1001]))
        #expect(
            ServerRegistry.servers(folder: place.folder) == [
                .init(name: "stage", user: 1000, process: 8), .init(name: "stage", user: 1001, process: 9),
            ])
    }

    @Test func `a registry that is a link is left alone`() throws {
        let place = try Place()
        let bytes = registry(places: [(4_000_000, "stage")])
        try Data(bytes).write(to: URL(fileURLWithPath: place.victim))
        try FileManager.default.createSymbolicLink(
            atPath: place.folder + "/jack-shm-registry", withDestinationPath: place.victim)
        #expect(ServerRegistry.servers(folder: place.folder).isEmpty)
        #expect(!ServerRegistry.remove(process: 4_000_000, folder: place.folder))
        #expect(FileManager.default.contents(atPath: place.victim) == Data(bytes))
    }

    @Test func `no link is followed to a folder, and no name is a path`() throws {
        let place = try Place()
        try FileManager.default.createSymbolicLink(atPath: place.folder + "/link", withDestinationPath: place.root)
        try FileManager.default.createDirectory(atPath: place.folder + "/own", withIntermediateDirectories: true)
        try place.write("own/a")
        let folder = try place.open()
        folder.removeOwnFolder("link")
        for name in ["../victim", "own/a", "/etc/passwd", "", ".", "..", "own"] {
            let isRemoved = folder.removeOwn(name)
            #expect(!isRemoved, "\(name)")
        }
        #expect(place.keepsVictim && place.has("link") && place.has("own/a"))
        folder.removeOwnFolder("own")
        #expect(!place.has("own"))
    }

    @Test(.enabled(if: getuid() == 0, "only root may give files away")) func `another user's files stay`() throws {
        let place = try Place()
        for name in ["jack_iounit-9_0_0", "jack_db-0/__db.001"] {
            try FileManager.default.createDirectory(
                atPath: place.folder + "/jack_db-0", withIntermediateDirectories: true)
            try place.write(name)
            #expect(chown("\(place.folder)/\(name)", 65534, 65534) == 0)
        }
        let folder = try place.open()
        folder.removeOwn("jack_iounit-9_0_0")
        folder.removeOwnFolder("jack_db-0")
        #expect(place.has("jack_iounit-9_0_0") && place.has("jack_db-0/__db.001"))
    }

    /// Does something with a semaphore that stands for JACK's: programs that run beside take that one at any moment, and all of them
    /// would wait for who holds it. In this process nobody else has the turn at libjack.
    private func withOwnRegistryLock(_ body: () throws -> Void) throws {
        let key = key_t.random(in: 1 << 24 ... .max)
        try #require(semget(key, 1, IPC_CREAT | IPC_EXCL | 0o600) >= 0)
        defer {
            _ = try? Process.run(URL(fileURLWithPath: "/usr/bin/ipcrm"), arguments: ["-S", "\(key)"]).waitUntilExit()
        }
        // It is made as one that somebody holds.
        try #require(cjack_registry_semaphore(key, 1, 0) == 0)
        let real = RegistryLock.key.exchange(key, ordering: .relaxed)
        defer { RegistryLock.key.store(real, ordering: .relaxed) }
        try body()
    }

    @Test func `whoever holds the registry up is named, and nobody waits for it without a limit`() throws {
        let server = try Server()
        try withOwnRegistryLock { try checkRefusals(by: server) }
    }

    private func checkRefusals(by server: Server) throws {
        let refused = RegistryLock.hold {
            let inner = RegistryLock.hold(patienceMilliseconds: 10) { true }
            #expect(inner == nil)
            return [
                failure { () throws(JackError) in _ = try Client(name: "late", server: server.name) },
                failure { () throws(JackError) in _ = try Server() },
            ]
        }
        for error in refused ?? [] {
            #expect(error?.kind == .resources)
            let text = error?.description ?? ""
            #expect(text.contains("process \(getpid()) (") && text.contains("holds JACK's registry"), "\(text)")
        }
        #expect(refused?.count == 2)
        #expect(RegistryLock.obstacle(patienceMilliseconds: 0) == nil, "it was given back")
    }
}

import Glibc
import Jack
import Synchronization
import TestSupport
import Testing
import Threads

@Suite(.serialized, .privateServer())
struct NotificationTests {
    @Test func theHandlerAndTheStreamAreToldOfPortsConnectionsAndOrder() async throws {
        let silent = try Client(name: "listener", server: PrivateServer.name)
        let log = NotificationLog(of: silent)
        let stream = silent.notifications()
        let listener = try silent.activate()

        let idle = try Client(name: "actor", server: PrivateServer.name)
        let port = try idle.register("in", .input)
        let actor = try idle.activate()
        // One after the other: libjack tells ports by number, and a listener that is late finds the name that the port
        // has got meanwhile.
        func expect(_ notification: Notification) async throws {
            try await eventually("the handler is told \(notification)") { log.contains(notification) }
        }
        try await expect(.portRegistered(name: "actor:in"))
        try actor.connect("system:capture_1", to: "actor:in")
        try await expect(.portsConnected(source: "system:capture_1", target: "actor:in"))
        try actor.disconnect("system:capture_1", from: "actor:in")
        try await expect(.portsDisconnected(source: "system:capture_1", target: "actor:in"))
        try actor.rename(port, to: "renamed")
        try await expect(.portRenamed(from: "actor:in", to: "actor:renamed"))
        try actor.unregister(port)
        try await expect(.portUnregistered(name: "actor:renamed"))
        try await expect(.graphReordered)
        try listener.close()
        var streamed: [Notification] = []
        for await notification in stream { streamed.append(notification) }
        // One that is on its way when the client is closed reaches the handler alone.
        let told = log.all
        #expect(
            streamed == told || streamed == told.dropLast(),
            "both are told the same in the same order, and the stream ends with the client")
    }

    @Test func thePeriodChangesLiveAndCallbacksFollow() async throws {
        let probe = CycleProbe()
        let client = try Client(name: "resizing", server: PrivateServer.name)
        try probe.attach(to: client)
        let active = try client.activate()
        let log = NotificationLog(of: active)
        for period in [16, 1024, 16, 1024, 64] {
            try active.setPeriod(frames: period)
            try await eventually("a cycle of \(period) frames") { probe.frames == period }
            try await eventually("the handler is told \(period)") { log.contains(.periodChanged(frames: period)) }
            let present = active.periodFrames
            #expect(present == period)
        }
        for period in [0, 8193, -1] {
            let error = failure { () throws(JackError) in try active.setPeriod(frames: period) }
            #expect(error?.kind == .invalidRequest)
        }
        try active.close()
    }

    @Test func freewheelingIsTurnedOnAndOff() async throws {
        let active = try Client(name: "free", server: PrivateServer.name).activate()
        let log = NotificationLog(of: active)
        try active.setFreewheel(true)
        try await eventually("freewheeling is on") { log.contains(.freewheel(isOn: true)) }
        try active.setFreewheel(false)
        try await eventually("freewheeling is off") { log.contains(.freewheel(isOn: false)) }
        try active.close()
    }

    @Test func aLateCycleIsAnXrun() async throws {
        let probe = CycleProbe()
        let client = try Client(name: "late", server: PrivateServer.name)
        try probe.attach(to: client)
        let active = try client.activate()
        let log = NotificationLog(of: active)
        try await eventually("a cycle") { probe.cycles > 0 }
        let before = log.xruns
        probe.delayOnce(microseconds: 50_000)
        try await eventually("an xrun") { log.xruns > before }
        try active.close()
    }

    @Test func aReaderThatLagsIsToldHowManyItMissed() async throws {
        let silent = try Client(name: "lagging", server: PrivateServer.name)
        let log = NotificationLog(of: silent)
        let stream = silent.notifications()
        let active = try silent.activate()
        // Each change is two or more notifications.
        var number = 0
        while log.all.count < 1200 {
            number += 1
            try active.setFreewheel(number % 2 == 1)
        }
        if number % 2 == 1 { try active.setFreewheel(false) }
        try active.close()
        var streamed: [Notification] = []
        for await notification in stream { streamed.append(notification) }
        let all = log.all
        #expect(streamed.count == 1025)
        #expect(streamed.dropLast() == all.prefix(1024))
        // The stream ends when the close begins: one that is on its way then comes to the handlers alone.
        let missed = all.count - 1024
        #expect([.missed(count: missed), .missed(count: missed - 1)].contains(streamed.last))
    }

    @Test func aHandlerThatIsRunningEndsBeforeTheCloseReturns() async throws {
        let listener = try Client(name: "slow", server: PrivateServer.name).activate()
        let call = Call()
        listener.onNotification { notification in
            guard case .portRegistered(name: "noisy:in") = notification else { return }
            call.hasBegun.store(true, ordering: .releasing)
            // The longer this is, the surer the close falls into it.
            MonotonicClock.sleep(milliseconds: 300)
            call.hasEnded.store(true, ordering: .releasing)
        }
        let idle = try Client(name: "noisy", server: PrivateServer.name)
        _ = try idle.register("in", .input)
        let noisy = try idle.activate()
        try await eventually("the handler runs") { call.hasBegun.load(ordering: .acquiring) }
        try listener.close()
        let hasEnded = call.hasEnded.load(ordering: .acquiring)
        #expect(hasEnded)
        try noisy.close()
    }
}

private final class Call: Sendable {
    let hasBegun = Atomic<Bool>(false)
    let hasEnded = Atomic<Bool>(false)
}

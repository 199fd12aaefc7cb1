import AudioDSP
import AudioRealtime
import TestSupport
import Testing

@Suite("Commands to a render unit")
struct CommandDeliveryTests {
    @Test("come to one change in a cycle, however many there are")
    func floodIsFolded() {
        let device = FakeDevice(channels: 1, parameters: ShaperSetting(shape: .off), recordCapacity: 1)
        for number in 1...10_000 { device.send(.gain(Float(number))) }
        #expect(device.cycle([[1]]) == [[10_000]])
    }

    @Test("change what a unit was told, each its own part")
    func eachCommandChangesItsPart() {
        let device = FakeDevice(channels: 1)
        var wanted = ShaperSetting.cubic
        func send(_ command: Command) {
            device.send(command)
            device.cycle(frames: 1)
        }
        send(.gain(0.5))
        wanted.gain = 0.5
        #expect(device.parameters == wanted)
        send(.drive(3))
        wanted.drive = 3
        #expect(device.parameters == wanted)
        send(.shape(.hard))
        wanted.shape = .hard
        #expect(device.parameters == wanted)
        send(.bypass(true))
        wanted.isBypassed = true
        #expect(device.parameters == wanted)
        send(.mute(true))
        wanted.isMuted = true
        #expect(device.parameters == wanted)
    }
}

import AudioDSP
import AudioIO
import AudioRecording
import Foundation
import Jack
import Threads

// The manual's engine of nodes, on a private server.
@main
struct Nodes {
    static func main() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("nodes-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = FileManager.default.changeCurrentDirectoryPath(folder.path)
        let server = try Server()
        defer { server.stop() }

        let engine = try Engine(server: server.name)  // Engine() is for the default server
        let drive = engine.attach(Shaper(.tanh, driveDecibels: 12))
        let echo = engine.attach(Delay(frames: 12_000))
        try engine.connect(engine.input, to: drive)
        try engine.connect(drive, to: engine.mixer)  // the mixer leads to engine.output
        try engine.connect(engine.mixer, to: echo, gainDecibels: -6)
        try engine.connect(echo, to: engine.mixer)  // a loop needs a delay in it
        let player = engine.attach(Player())
        try engine.connect(player, to: engine.mixer)
        let tap = try engine.tap(drive, frames: 4800) { buffer, time in
            print("frame \(time.position): \(buffer.frames) frames, peak \(buffer[0].max() ?? 0)")
        }
        let recorder = try engine.record(engine.output, to: "nodes-take.wav")
        try engine.record(engine.input, to: "nodes-16k.wav", sampleRate: 16_000)  // whatever rate the server has
        try engine.start()
        drive.driveDecibels = 18  // from any thread; no click
        try player.play(.tone(hertz: 440), at: .frame(engine.position + 4800))  // or a file, or a buffer
        while engine.position < 24_000 { MonotonicClock.sleep(milliseconds: 10) }
        engine.disconnect(echo, from: engine.mixer)  // fades out
        tap.remove()
        engine.close()  // the recording is whole
        guard player.playedFrames > 0 && player.underrunFrames == 0 else { fatalError("the player did not play") }

        let offline = try Engine(offline: 48_000, inputs: 1, outputs: 1)
        try offline.connect(offline.input, to: offline.mixer, gainDecibels: -6)
        try offline.start()
        let heard = try offline.render(3, input: [[1, -1, 0.5]])
        // Where the server skipped a cycle, there is silence in its place.
        let recorded = recorder.writtenFrames - recorder.filledFrames
        print("\(recorded) frames recorded of \(engine.position), offline \(heard[0].count)")
    }
}

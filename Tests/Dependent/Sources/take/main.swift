import AudioFiles
import AudioIO
import AudioRecording
import Threads

let engine = try Engine()  // of the default server, which start() joins
let shaper = engine.attach(Shaper(.tanh, driveDecibels: 12))
try engine.connect(engine.input, to: shaper)
try engine.connect(shaper, to: engine.mixer)  // the mixer leads to the outputs

// Records the input at 16 kHz, whatever rate the server has.
let recorder = try engine.record(engine.input, to: "take.flac", sampleRate: 16_000)

// Hears the shaper at 8 kHz, in one channel, a tenth of a second at a time, on a worker.
let tap = try engine.tap(shaper, frames: 800, sampleRate: 8_000, channels: 1) { buffer, time in
    print("frame \(time.position): peak \(buffer[0].map(abs).max() ?? 0)")
}

try engine.start()
while engine.position < 96_000 { MonotonicClock.sleep(milliseconds: 10) }
engine.close()  // the file is whole
print("\(recorder.writtenFrames) frames recorded, \(recorder.droppedFrames) dropped, \(tap.lostFrames) not heard")

// Converts the file, with its peak at −1 dB. Needs no server.
var conversion = FileConversion()
conversion.sampleRate = 44_100
conversion.encoding = .pcm16
conversion.peakDecibels = -1
let outcome = try conversion.convert(SoundFileReader(path: "take.flac"), to: "take.wav")
print("\(outcome.outputFrames) frames of \(outcome.outputFormat) at \(outcome.outputRate) Hz")
